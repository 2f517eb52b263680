import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ListAnswer, ListReply, Page, PageReader } from './answer.ts';
import type { Cursors, CursorScope } from './cursor.ts';
import type { Endpoint } from './endpoint.ts';
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
export type ListBody = string | ((response: ServerResponse) => Promise<void>);

export async function listBody(
  endpoint: Endpoint & { readonly answer: ListAnswer },
  { message, list }: ListReply<unknown>,
  {
    paging,
    scope,
    cursors,
  }: { readonly paging: Paging; readonly scope: CursorScope; readonly cursors: () => Promise<Cursors> },
): Promise<ListBody> {
  const verify = (items: readonly unknown[]): void => {
    for (const item of items) check(scope.path, endpoint.answer.item, item);
  };
  if (typeof list !== 'function') {
    verify(list);
    return envelope(message, list);
  }
  const paged = paging.pageSize !== undefined || paging.pageToken !== undefined;
  if (paged || !endpoint.answer.everythingOn.includes(scope.path)) {
    const after =
      paging.pageToken === undefined ? undefined : (await cursors()).read(scope, paging.pageToken);
    const page = await list(after, paging.pageSize ?? defaultPage);
    verify(page.items);
    const nextPageToken = page.next && (await cursors()).write(scope, page.next);
    const repeated = endpoint.answer.repeatsPageToken && nextPageToken !== undefined;
    return envelope(message, page.items, { nextPageToken, ...(repeated && { pageToken: nextPageToken }) });
  }
  const first = await list(undefined, streamedPage);
  verify(first.items);
  if (first.next === undefined) return envelope(message, first.items);
  return async (response) => stream(response, message, first, list, verify);
}

/** Writes page after page as the caller takes them. A fault in the middle destroys the connection: a cut answer must not look whole. */
async function stream(
  response: ServerResponse,
  message: string,
  first: Page<unknown>,
  read: PageReader<unknown>,
  verify: (items: readonly unknown[]) => void,
): Promise<void> {
  const write = async (text: string): Promise<void> => {
    if (response.destroyed) throw new Error('The caller went away.');
    if (!response.write(text)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  };
  try {
    await write(`${envelope(message, undefined).slice(0, -2)},"data":[`);
    let page = first;
    let separator = '';
    for (;;) {
      if (page.items.length > 0) {
        await write(separator + JSON.stringify(page.items).slice(1, -1));
        separator = ',';
      }
      if (page.next === undefined) break;
      page = await read(page.next, streamedPage);
      verify(page.items);
    }
    response.end(']}}');
  } catch (error) {
    response.destroy();
    throw error;
  }
}
