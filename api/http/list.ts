import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ListAnswer, ListReply, Page, PageReader } from './answer.ts';
import type { Cursors, CursorScope } from './cursor.ts';
import type { Endpoint } from './endpoint.ts';
import { groupsForm, itemWriter, listForm, type JsonPieces, type ListForm } from './list-form.ts';
import { check, envelope } from './serialize.ts';

/** Rows read at a time for an answer that holds everything; no connection is held between two such reads. */
const streamedPage = 500;
const defaultPage = 1_000;

/** What a list request says of paging; the rest of its data are filters. */
export interface Paging {
  readonly pageSize?: number | undefined;
  readonly pageToken?: string | undefined;
}

/** A body that is complete, or one whose pages are still to be read. */
export type ListBody = JsonPieces | ((response: ServerResponse) => Promise<void>);

export async function listBody(
  endpoint: Endpoint & { readonly answer: ListAnswer },
  reply: ListReply<unknown>,
  {
    paging,
    scope,
    cursors,
  }: { readonly paging: Paging; readonly scope: CursorScope; readonly cursors: () => Promise<Cursors> },
): Promise<ListBody> {
  const { message } = reply;
  const verify = (item: unknown): void => check(scope.path, endpoint.answer.item, item);
  const plain = listForm(verify, itemWriter(endpoint.answer.writtenMember));
  if ('list' in reply && typeof reply.list !== 'function') {
    return whole(message, plain, { items: reply.list }, {});
  }
  const list = 'list' in reply ? (reply.list as PageReader<unknown>) : reply.groups;
  const form = 'list' in reply ? plain : groupsForm(verify);
  const paged = paging.pageSize !== undefined || paging.pageToken !== undefined;
  if (paged || !endpoint.answer.everythingOn.includes(scope.path)) {
    const after =
      paging.pageToken === undefined ? undefined : (await cursors()).read(scope, paging.pageToken);
    const page = await list(after, paging.pageSize ?? defaultPage);
    const nextPageToken = page.next && (await cursors()).write(scope, page.next);
    const repeated = endpoint.answer.repeatsPageToken && nextPageToken !== undefined;
    return whole(message, form, page, { nextPageToken, ...(repeated && { pageToken: nextPageToken }) });
  }
  const first = await list(undefined, streamedPage);
  if (first.next === undefined) return whole(message, form, first, {});
  const start = form.next(first.items);
  return async (response) => stream(response, message, { start, next: first.next }, list, form);
}

/** The envelope up to the place of `data`. */
const opened = (message: string): string => `${envelope(message, undefined).slice(0, -2)},"data":`;

function whole(message: string, form: ListForm, { items }: Page<unknown>, beside: object): JsonPieces {
  const rest = JSON.stringify(beside).slice(1, -1);
  return [opened(message), ...form.next(items), `${form.end()}${rest === '' ? '' : `,${rest}`}}}`];
}

/** Resolves when the caller has taken what was written, or has gone. */
async function drained(response: ServerResponse): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    // Takes the listener of the event that did not come away again.
    waiting.abort();
  }
}

/** Writes page after page as the caller takes them. A fault in the middle destroys the connection: a cut answer must not look whole. */
async function stream(
  response: ServerResponse,
  message: string,
  first: { readonly start: JsonPieces; readonly next: Page<unknown>['next'] },
  read: PageReader<unknown>,
  form: ListForm,
): Promise<void> {
  const write = async (pieces: JsonPieces): Promise<void> => {
    if (response.destroyed) throw new Error('The caller went away.');
    for (const piece of pieces) if (piece.length > 0) response.write(piece);
    if (response.writableNeedDrain) await drained(response);
  };
  try {
    await write([opened(message), ...first.start]);
    let { next } = first;
    while (next !== undefined) {
      const page: Page<unknown> = await read(next, streamedPage);
      await write(form.next(page.items));
      ({ next } = page);
    }
    response.end(`${form.end()}}}`);
  } catch (error) {
    response.destroy();
    throw error;
  }
}
