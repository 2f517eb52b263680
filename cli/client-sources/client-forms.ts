import type { ClientForm } from '../../api/http/response/response-kind.ts';

/** What the generated client has for one form of call. */
interface FormOfCall {
  /** The function of `operation.ts` that calls the operation. Absent: `read` or `write`. */
  readonly caller?: string;
  /** Returns the type that a method returns, of the types of its response and of an item. */
  readonly returned: (response: string, item: () => string) => string;
}

const listOfItems: FormOfCall['returned'] = (response, item) => `ListCall<${response}, ${item()}>`;

export const clientForms: Readonly<Record<ClientForm, FormOfCall>> = {
  call: { returned: (response) => `Promise<${response}>` },
  list: { caller: 'list', returned: listOfItems },
  wholeList: { caller: 'wholeList', returned: listOfItems },
  pages: { caller: 'list', returned: (response) => `PagedCall<${response}>` },
  cursorList: { caller: 'cursorList', returned: listOfItems },
  iteratorList: { caller: 'iteratorList', returned: listOfItems },
  stream: { caller: 'exported', returned: () => 'Promise<ReadableStream<Uint8Array>>' },
};
