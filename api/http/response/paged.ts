import { maxResponseBytes, type PagedAnswer, type PagedReply } from '../answer.ts';
import type { ListingContext } from './cursor-list.ts';
import { readWithin } from './read-within.ts';
import { check, envelope } from './serialize.ts';

/** The body of a value that holds several lists, of each of them a page. */
export async function pagedBody(
  { schema }: PagedAnswer,
  { message, page }: PagedReply<unknown>,
  pageToken: string | undefined,
  { scope, cursors, charge }: ListingContext,
): Promise<string> {
  const after = pageToken === undefined ? undefined : (await cursors()).read(scope, pageToken);
  const limit = { rows: Number.MAX_SAFE_INTEGER, bytes: maxResponseBytes };
  const { data, next } = await readWithin(
    charge,
    limit,
    ({ bytes }) => page(after, bytes),
    ({ cut }) => cut,
  );
  check(scope.path, schema, data);
  return envelope(message, data, next && { nextPageToken: (await cursors()).write(scope, next) });
}
