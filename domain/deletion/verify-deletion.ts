import { isDeepStrictEqual } from 'node:util';
import { inTransaction, type Orm } from '../../platform/database/orm.ts';
import type { IdentifiedScope, PersonalDataStore, StoreScan } from './stores/personal-data-store.ts';
import { identify } from './stores/addresses.ts';
import { personalDataStores, storeNames } from './stores/personal-data-stores.ts';
import { indexEarlierRows } from './upgrade/index-earlier-rows.ts';
import { lockDeletion, scopeOf, type ActiveDeletion } from './active-deletion.ts';

/** Names of stores that still contain personal data; undefined for an ended deletion. */
export type Findings = readonly string[] | undefined;

/**
 * Runs the verification scan over every store, yielding after each batch. From here on the deletion cannot be canceled.
 * Reopens stores with remaining data, or records that nothing was found.
 */
export async function* verifyDeletion(orm: Orm, deletion: ActiveDeletion): AsyncGenerator<string, Findings> {
  for await (const _ of indexEarlierRows(orm)) yield 'index';
  const open = await inTransaction(orm, async (em) => {
    const locked = await lockDeletion(em, deletion, ['deleting', 'verifying']);
    locked?.enter('verifying');
    return locked !== undefined;
  });
  if (!open) return undefined;
  const people = await scopeOf(orm.em.fork(), deletion);
  let scope = await identify(orm.em.fork(), people);
  const found: string[] = [];
  for (const store of personalDataStores) {
    while (yield* remainsIn(orm, store, scope)) {
      // Rows of another user, who has taken over an address meanwhile, are no finding.
      const present = await identify(orm.em.fork(), people);
      if (isDeepStrictEqual(present, scope)) {
        found.push(store.name);
        break;
      }
      scope = present;
    }
  }
  if (found.length > 0) await reopenStores(orm, deletion, found);
  else {
    await inTransaction(orm, async (em) =>
      (await lockDeletion(em, deletion, ['verifying']))?.verify(storeNames),
    );
  }
  return found;
}

/** Scans a store, yielding after each batch. Returns whether personal data remains. */
async function* remainsIn(
  orm: Orm,
  store: PersonalDataStore,
  scope: IdentifiedScope,
): AsyncGenerator<string, boolean> {
  let scan: StoreScan = { any: false, last: null };
  do {
    scan = await store.remains(orm.em.fork(), scope, scan.last);
    yield store.name;
  } while (!scan.any && scan.last !== null);
  return scan.any;
}

/** Returns the deletion to the phase `deleting` for these stores. */
export async function reopenStores(
  orm: Orm,
  deletion: ActiveDeletion,
  stores: readonly string[],
): Promise<void> {
  await inTransaction(orm, async (em) => (await lockDeletion(em, deletion, ['verifying']))?.reopen(stores));
}
