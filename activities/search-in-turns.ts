import type { ScanPage } from '../domain/scan-page.ts';
import type { EntityManager } from '../platform/database/orm.ts';

/** Acts on the items of a page. Returns false when it has not attempted every item. */
type Act<Item> = (items: readonly Item[]) => Promise<boolean>;

/** A search that continues where its last page has ended, and at its start after its last page. */
export interface Search<Item> {
  /** Turns since the one in which the search last reached its end. */
  turnsBehind: number;
  /** Acts on the next page, or again on one whose items were not all attempted. Returns whether it was the last page. */
  readonly actOnPage: (em: EntityManager, act: Act<Item>) => Promise<boolean>;
}

/** A search from its start. */
export function searchOf<Found, Position, Item>(
  read: (em: EntityManager, after: Position | undefined) => Promise<ScanPage<Found, Position>>,
  itemOf: (found: Found) => Item,
): Search<Item> {
  let after: Position | undefined;
  return {
    turnsBehind: 0,
    actOnPage: async (em, act) => {
      const { found, next } = await read(em, after);
      if (!(await act(found.map(itemOf)))) return false;
      after = next;
      return next === undefined;
    },
  };
}

/**
 * Acts on one page of each search in turn, until each has reached its end or `isOver` returns true. At least one page is
 * read. `searches` is the order of the next turn: those that have waited longest come first.
 */
export async function searchInTurns<Item>(
  em: EntityManager,
  searches: Search<Item>[],
  act: Act<Item>,
  isOver: () => boolean,
): Promise<void> {
  const behind = new Set(searches);
  for (const search of searches) search.turnsBehind += 1;
  do {
    const [search] = searches.splice(0, 1);
    if (search === undefined) return;
    searches.push(search);
    if (behind.has(search) && (await search.actOnPage(em, act))) {
      search.turnsBehind = 0;
      behind.delete(search);
    }
  } while (behind.size > 0 && !isOver());
}
