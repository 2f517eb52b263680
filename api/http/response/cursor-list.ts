import { maxResponseBytes, type CursorListAnswer, type CursorListReply } from '../answer.ts';
import type { Cursors, CursorScope } from './cursor.ts';
import type { ResponseCharge } from './read-budget.ts';
import { readWithin } from './read-within.ts';
import { check } from './serialize.ts';

/** What a request says of its page; the rest of its data are filters. At most one of the tokens is sent. */
export interface CursorPaging {
  readonly pageSize?: number | undefined;
  readonly cursor?: string | undefined;
  readonly pageToken?: string | undefined;
}

/** What the page of a list is read with. */
export interface ListingContext {
  readonly scope: CursorScope;
  readonly cursors: () => Promise<Cursors>;
  readonly charge: ResponseCharge;
}

const defaultPage = 50;

/** The body `{result: {items, nextCursor, hasMore}}`: a list in an older form, without status and message. */
export async function cursorListBody(
  answer: CursorListAnswer,
  { page: read }: CursorListReply<unknown>,
  { pageSize = defaultPage, cursor, pageToken }: CursorPaging,
  { scope, cursors, charge }: ListingContext,
): Promise<string> {
  const token = cursor ?? pageToken;
  const member = cursor === undefined ? 'pageToken' : 'cursor';
  const after = token === undefined ? undefined : (await cursors()).read(scope, token, member);
  const limit = { rows: pageSize, bytes: maxResponseBytes };
  const { items, next } = await readWithin(
    charge,
    limit,
    (within) => read(after, within),
    ({ cut }) => cut,
  );
  for (const item of items) check(scope.path, answer.item, item);
  const nextCursor = next === undefined ? '' : (await cursors()).write(scope, next);
  return JSON.stringify({ result: { items, nextCursor, hasMore: next !== undefined } });
}
