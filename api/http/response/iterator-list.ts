import { maxResponseBytes, type IteratorListAnswer, type IteratorListReply } from '../answer.ts';
import type { ListingContext } from './cursor-list.ts';
import { readWithin } from './read-within.ts';
import { check, envelope } from './serialize.ts';

/** What a request says of its page; the rest of its data are filters. */
export interface IteratorPaging {
  readonly limit?: number | undefined;
  readonly iterator?: string | undefined;
}

const defaultLimit = 50;

/** The body of a list that can be walked in both directions; `done` says that there is nothing after it. */
export async function iteratorListBody(
  { item, member }: IteratorListAnswer,
  { message, stretch }: IteratorListReply<unknown>,
  { limit = defaultLimit, iterator }: IteratorPaging,
  { scope, cursors, charge }: ListingContext,
): Promise<string> {
  const from = iterator === undefined ? undefined : (await cursors()).read(scope, iterator, 'iterator');
  const { items, next, previous } = await readWithin(
    charge,
    { rows: limit, bytes: maxResponseBytes },
    (within) => stretch(from, within),
    ({ cut = false }) => cut,
  );
  for (const listed of items) check(scope.path, item, listed);
  const data = {
    [member]: items,
    iterator: next === undefined ? null : (await cursors()).write(scope, next),
    prevIterator: previous === undefined ? null : (await cursors()).write(scope, previous),
    done: next === undefined,
  };
  return envelope(message, data);
}
