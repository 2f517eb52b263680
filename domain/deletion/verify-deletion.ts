import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { inTransaction, type Orm } from '../../platform/database/orm.ts';
import type { PersonScope } from './stores/personal-data-store.ts';
import { identify } from './stores/addresses.ts';
import { personalDataStores, storeNames } from './stores/personal-data-stores.ts';
import { indexEarlierRows } from './upgrade/index-earlier-rows.ts';
import { lockDeletion, readPersonScope, type ActiveDeletion } from './active-deletion.ts';

/** Names of stores that still contain personal data; undefined for an ended deletion. */
export type Findings = readonly string[] | undefined;

/** How far a verification scan has come: names of stores, surrogate keys and times, never a customer's id. */
export const VerificationPosition = z.strictObject({
  /** Names of the stores that are scanned. */
  scanned: z.array(z.string()).readonly(),
  /** Those among them that contain personal data. */
  found: z.array(z.string()).readonly(),
  /** The store that is being scanned, and the cursor in it; null at the start of a store. */
  at: z.strictObject({ store: z.string(), after: z.array(z.string()).readonly() }).nullable(),
});
export type VerificationPosition = z.infer<typeof VerificationPosition>;

const scanStart: VerificationPosition = { scanned: [], found: [], at: null };

/**
 * Runs the verification scan over every store, yielding its position after each batch. It may stop at any time and
 * continue from a position: the fence prevents new data in the stores that are scanned. From here on the deletion cannot
 * be canceled. Reopens stores with remaining data, or records that nothing was found.
 */
export async function* verifyDeletion(
  orm: Orm,
  deletion: ActiveDeletion,
  from: VerificationPosition = scanStart,
): AsyncGenerator<VerificationPosition, Findings> {
  for await (const _ of indexEarlierRows(orm)) yield from;
  const open = await inTransaction(orm, async (em) => {
    const locked = await lockDeletion(em, deletion, ['deleting', 'verifying']);
    locked?.enter('verifying');
    return locked !== undefined;
  });
  if (!open) return undefined;
  const found = yield* scan(orm, await readPersonScope(orm.em.fork(), deletion), from);
  if (found.length > 0) await reopenStores(orm, deletion, found);
  else {
    await inTransaction(orm, async (em) =>
      (await lockDeletion(em, deletion, ['verifying']))?.verify(storeNames),
    );
  }
  return found;
}

/** Scans the stores that are not scanned at `from`. Returns the names of all stores that contain personal data. */
async function* scan(
  orm: Orm,
  people: PersonScope,
  from: VerificationPosition,
): AsyncGenerator<VerificationPosition, readonly string[]> {
  let scope = await identify(orm.em.fork(), people);
  const scanned = [...from.scanned];
  const found = [...from.found];
  const positionAt = (at: VerificationPosition['at']): VerificationPosition => ({
    scanned: [...scanned],
    found: [...found],
    at,
  });
  for (const store of personalDataStores.filter(({ name }) => !from.scanned.includes(name))) {
    let after = from.at?.store === store.name ? from.at.after : null;
    for (;;) {
      const { any, last } = await store.remains(orm.em.fork(), scope, after);
      if (any) {
        // Rows of another user, who has taken over an address meanwhile, are no finding.
        const present = await identify(orm.em.fork(), people);
        if (isDeepStrictEqual(present, scope)) {
          found.push(store.name);
          break;
        }
        scope = present;
      } else if (last === null) break;
      else after = last;
      yield positionAt(after && { store: store.name, after });
    }
    scanned.push(store.name);
    yield positionAt(null);
  }
  return found;
}

/** Returns the deletion to the phase `deleting` for these stores. */
export async function reopenStores(
  orm: Orm,
  deletion: ActiveDeletion,
  stores: readonly string[],
): Promise<void> {
  await inTransaction(orm, async (em) => (await lockDeletion(em, deletion, ['verifying']))?.reopen(stores));
}
