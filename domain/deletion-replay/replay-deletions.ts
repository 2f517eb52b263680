import type { EntityManager, Orm } from '../../platform/database/orm.ts';
import { inTransaction } from '../../platform/database/orm.ts';
import { retryConflicts } from '../../platform/database/retry-conflicts.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { acceptDeletion } from '../deletion/accept-deletion.ts';
import { databaseIncarnation } from '../deletion/journal/database-incarnation.ts';
import type { DeletionEntry } from '../deletion/journal/deletion-entry.ts';
import type { DeletionJournal } from '../deletion/journal/deletion-journal.ts';
import { adoptReceiptKeys } from '../deletion/journal/receipt-keys.ts';
import { deleteLockedKey } from '../key-deletion/delete-key.ts';
import { findKey } from '../workspaces/find-key.ts';
import { lockKey } from '../workspaces/lock-key.ts';
import { expiryOf, forgetFiles, lackingFiles, readPositions } from './journal-positions.ts';
import { statesOf, checkJournal } from './check-journal.ts';

/** Numbers of deletions, except for `unreadable` (records), `torn` and `lacking` (files). */
export interface Replay {
  readonly read: number;
  /** Deletions of user data that this run has started again. */
  readonly users: number;
  /** Deletions of API keys that this run has started again. */
  readonly keys: number;
  readonly running: number;
  readonly unreadable: number;
  readonly torn: number;
  readonly lacking: number;
}

/** Options of a replay. */
export interface ReplayOptions {
  /** Skips unreadable records and missing files for good. The deletions in them are not repeated. */
  readonly acceptLoss: boolean;
  readonly retentionMs: number;
  /** Called after each batch. */
  readonly onProgress?: (replay: Replay) => void;
}

/** Deletions per transaction. */
const batchSize = 20;

/**
 * Restarts every deletion of the journal that the restored database does not know, with its job id. Skips a deletion
 * that has ended, is running, or belongs to a missing API key. So an interrupted replay may be repeated, and several
 * may run concurrently. The sweep starts the workflows. Throws JournalUnavailable.
 */
export async function replayDeletions(
  orm: Orm,
  keyRing: KeyRing,
  journal: DeletionJournal,
  { acceptLoss, retentionMs, onProgress }: ReplayOptions,
): Promise<Replay> {
  // Outside of the transactions: a role that may not read it would abort them.
  const database = await databaseIncarnation(orm.em.fork());
  const replay = { read: 0, users: 0, keys: 0, running: 0, unreadable: 0, torn: 0, lacking: 0 };
  const positions = await readPositions(orm.em.fork());
  const lacking = lackingFiles(positions, await journal.files(), await expiryOf(orm, retentionMs));
  replay.lacking = lacking.length;
  if (acceptLoss) await forgetFiles(orm.em.fork(), lacking);
  for await (const { entries, unreadable, torn } of checkJournal(orm, journal, { acceptLoss })) {
    const missing = entries.flatMap(({ entry, state }) => (state === 'missing' ? [entry] : []));
    for (let from = 0; from < missing.length; from += batchSize) {
      const batch = missing.slice(from, from + batchSize);
      const started = await retryConflicts(
        async () => inTransaction(orm, async (em) => startAgain(em, keyRing, batch, database)),
        ['gone', 'duplicate'],
      );
      replay.users += started.users;
      replay.keys += started.keys;
    }
    replay.read += entries.length;
    replay.running += entries.filter(({ state }) => state === 'running').length;
    replay.unreadable += unreadable;
    replay.torn += torn ? 1 : 0;
    onProgress?.(replay);
  }
  return replay;
}

/** Restarts the deletions of entries that are still missing. Several entries may name one job. */
async function startAgain(
  em: EntityManager,
  keyRing: KeyRing,
  entries: readonly DeletionEntry[],
  database: string | undefined,
) {
  const once = [...new Map(entries.map((entry) => [entry.jobId, entry])).values()];
  const states = await statesOf(em, once, database);
  const started = { users: 0, keys: 0 };
  for (const [index, entry] of once.entries()) {
    if (states[index] !== 'missing') continue;
    const key = await findKey(em, entry);
    // The deletion of an API key includes those of its users.
    if (key === undefined) continue;
    await adoptReceiptKeys(em, keyRing, entry.signingKeys);
    if (entry.kind === 'key') await restartKeyDeletion(em, entry);
    else await restartUserDeletion(em, key.tenantId, entry);
    started[entry.kind === 'key' ? 'keys' : 'users'] += 1;
  }
  return started;
}

async function restartUserDeletion(
  em: EntityManager,
  id: string,
  { keyId, jobId, userIds, organizationIds }: Extract<DeletionEntry, { kind: 'users' }>,
): Promise<void> {
  await acceptDeletion(
    em,
    { id, keyId },
    { userIds, organizationIds: organizationIds ?? undefined, dryRun: false, replayed: jobId },
  );
}

async function restartKeyDeletion(em: EntityManager, { keyId, jobId }: DeletionEntry): Promise<void> {
  await deleteLockedKey(em, await lockKey(em, { keyId }), { replayed: jobId });
}
