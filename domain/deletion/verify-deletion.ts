import { inTransaction, type Orm } from '../../platform/database/orm.ts';
import type { PersonScan } from './places/place.ts';
import { personPlaces } from './places/places.ts';
import { indexEarlierRows } from './upgrade/index-earlier-rows.ts';
import { lockDeletion, scopeOf, type WorkedDeletion } from './work-deletion.ts';

/** Names of places where something was found that should not be there; undefined for a deletion that has ended. */
export type Findings = readonly string[] | undefined;

/**
 * The second scan: looks at every place whether anything of the people is left. From here on the deletion cannot be
 * cancelled. What is found sends it back to deleting; nothing found is written down as the proof. Yields between places.
 */
export async function* verifyDeletion(orm: Orm, deletion: WorkedDeletion): AsyncGenerator<string, Findings> {
  for await (const _ of indexEarlierRows(orm)) yield 'index';
  const open = await inTransaction(orm, async (em) => {
    const locked = await lockDeletion(em, deletion, ['deleting', 'verifying']);
    locked?.enter('verifying');
    return locked !== undefined;
  });
  if (!open) return undefined;
  const scope = await scopeOf(orm.em.fork(), deletion);
  const found: string[] = [];
  for (const place of personPlaces) {
    let scan: PersonScan = { any: false, last: null };
    do {
      scan = await place.remains(orm.em.fork(), scope, scan.last);
      yield place.name;
    } while (!scan.any && scan.last !== null);
    if (scan.any) found.push(place.name);
  }
  if (found.length > 0) await deleteAgain(orm, deletion, found);
  else {
    await inTransaction(orm, async (em) => (await lockDeletion(em, deletion, ['verifying']))?.verify());
  }
  return found;
}

/** Opens these places again. */
export async function deleteAgain(
  orm: Orm,
  deletion: WorkedDeletion,
  places: readonly string[],
): Promise<void> {
  await inTransaction(orm, async (em) => (await lockDeletion(em, deletion, ['verifying']))?.reopen(places));
}
