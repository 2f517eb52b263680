import type { PagedAnswer, PagedReply } from './answer.ts';
import type { Cursors, CursorScope } from './cursor.ts';
import { check, envelope } from './serialize.ts';

/** The body of a value that holds several lists, of each of them a page. */
export async function pagedBody(
  { schema }: PagedAnswer,
  { message, page }: PagedReply<unknown>,
  pageToken: string | undefined,
  { scope, cursors }: { readonly scope: CursorScope; readonly cursors: () => Promise<Cursors> },
): Promise<string> {
  const after = pageToken === undefined ? undefined : (await cursors()).read(scope, pageToken);
  const { data, next } = await page(after);
  check(scope.path, schema, data);
  return envelope(message, data, next && { nextPageToken: (await cursors()).write(scope, next) });
}
