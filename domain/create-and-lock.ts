import { aborted } from './errors.ts';

/** Max rounds. A further round requires a deletion that ends between the two steps. */
const maxRounds = 3;

/**
 * Creates rows unless they exist, and locks them. `lock` returns undefined while one is missing, which is created again:
 * a deletion has ended in between. Throws ABORTED when that happens three times. A `lock` that skips rows closed by a
 * deletion must throw for them: no round could lock one.
 */
export async function createAndLock<Row>(
  create: () => Promise<void>,
  lock: () => Promise<Row | undefined>,
): Promise<Row> {
  for (let round = 0; round < maxRounds; round += 1) {
    await create();
    const row = await lock();
    if (row !== undefined) return row;
  }
  throw aborted();
}
