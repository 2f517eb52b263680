import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import { retryConflicts } from '../../platform/database/retry-conflicts.ts';
import type {
  PersonalDataCounts,
  StoreCursor,
  PersonalDataStore,
  IdentifiedScope,
  PersonScope,
  StoreStep,
} from './stores/personal-data-store.ts';
import { identify, identifyLocked } from './stores/addresses.ts';
import { allowIndexScansOnly } from './stores/index-scans-only.ts';
import { personalDataStores } from './stores/personal-data-stores.ts';
import { indexEarlierRows } from './upgrade/index-earlier-rows.ts';
import { recordBatch, lockDeletion, readPersonScope, type ActiveDeletion } from './active-deletion.ts';

/** The result of a batch. */
export interface StoreProgress {
  readonly store: string;
  /** Number of records in this batch. */
  readonly records: number;
  /** Counts of the whole deletion so far. */
  readonly counts: PersonalDataCounts;
  /** Whether the store waits for another process to end its work on rows. */
  readonly waits?: boolean;
}

/** Milliseconds until the next batch of a store that waits. */
const waitMs = 1_000;

type Act = (
  em: EntityManager,
  store: PersonalDataStore,
  scope: IdentifiedScope,
  after: StoreCursor | null,
) => Promise<StoreStep>;

/** Removes the people's data from every store, one short transaction per batch. Returns false for an ended deletion. */
export const removePersonalData = (orm: Orm, deletion: ActiveDeletion) =>
  processStores(orm, deletion, async (em, store, scope, after) => store.remove(em, scope, after));

/** Counts the same data for a dry run. */
export const countPersonalData = (orm: Orm, deletion: ActiveDeletion) =>
  processStores(orm, deletion, async (em, store, scope, after) => store.count(em, scope, after));

/**
 * Processes store after store. Each batch stores its counts and the next position in its transaction, so processing may
 * stop and resume at any time and counts everything once.
 */
async function* processStores(
  orm: Orm,
  deletion: ActiveDeletion,
  act: Act,
): AsyncGenerator<StoreProgress, boolean> {
  const { counts } = deletion;
  for await (const _ of indexEarlierRows(orm)) yield { store: 'index', records: 0, counts };
  const scope = await readPersonScope(orm.em.fork(), deletion);
  for (;;) {
    // Other writes and deletions may lock the same rows in another order.
    const worked = await retryConflicts(async () =>
      inTransaction(orm, async (em) => processBatch(em, deletion, scope, act)),
    );
    if (worked === 'ended') return false;
    if (worked === 'finished') return true;
    yield worked;
    if (worked.waits === true) await pause(waitMs);
  }
}

/**
 * Processes the next batch; skips empty stores. Reads addresses again, because another user may have taken one over.
 */
async function processBatch(
  em: EntityManager,
  deletion: ActiveDeletion,
  scope: PersonScope,
  act: Act,
): Promise<StoreProgress | 'finished' | 'ended'> {
  const locked = await lockDeletion(em, deletion, deletion.dryRun ? [null] : ['deleting', 'verifying']);
  if (locked === undefined) return 'ended';
  const open = locked.openStores(personalDataStores);
  const [first] = open;
  if (first === undefined || locked.isIn(['verifying'])) return 'finished';
  const done: string[] = [];
  let records = 0;
  let store = first;
  let worked: StoreStep = { counts: {}, last: null };
  await allowIndexScansOnly(em);
  const identified = await (deletion.dryRun ? identify : identifyLocked)(em, scope);
  for (store of open) {
    worked = await act(em, store, identified, locked.cursorIn(store.name));
    records = Object.values(worked.counts).reduce((sum, count) => sum + count, 0);
    if (worked.waits === true || worked.repeats === true) break;
    if (worked.last === null) done.push(store.name);
    if (worked.last !== null || records > 0) break;
  }
  const position = worked.last === null ? null : { store: store.name, after: worked.last };
  await recordBatch(em, locked, { counts: worked.counts, done, position });
  return { store: store.name, records, counts: locked.counts, waits: worked.waits === true };
}
