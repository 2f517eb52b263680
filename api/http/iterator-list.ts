import type { IteratorListAnswer, IteratorListReply } from './answer.ts';
import type { Cursors, CursorScope } from './cursor.ts';
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
  { scope, cursors }: { readonly scope: CursorScope; readonly cursors: () => Promise<Cursors> },
): Promise<string> {
  const from = iterator === undefined ? undefined : (await cursors()).read(scope, iterator, 'iterator');
  const { items, next, previous } = await stretch(from, limit);
  for (const listed of items) check(scope.path, item, listed);
  const data = {
    [member]: items,
    iterator: next === undefined ? null : (await cursors()).write(scope, next),
    prevIterator: previous === undefined ? null : (await cursors()).write(scope, previous),
    done: next === undefined,
  };
  return envelope(message, data);
}
