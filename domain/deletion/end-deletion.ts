import { sql } from 'kysely';
import { z } from 'zod';
import { classifyDatabaseError } from '../../platform/database/failures.ts';
import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import { onlyRowOf } from '../../platform/database/statements.ts';
import { now } from '../columns.ts';
import { recordEvents } from '../events/record-events.ts';
import { lockJob } from '../jobs/find-job.ts';
import { cancelledError, type Job } from '../jobs/job.entity.ts';
import { receiptLifetimeDays } from '../signing/token-keys.ts';
import { tablesOf } from '../tables.ts';
import { tasksOf } from './deletion-tasks.ts';
import { storeNames } from './stores/personal-data-stores.ts';
import type { DeletionKey } from './deletion-users.ts';
import { forgetNames } from './forget-names.ts';
import { journalDeletion, type Completion } from './journal/journal-deletion.ts';
import { signReceipt, storedReceipt, type ReceiptSigner } from './receipt.ts';
import type { ReceiptBody, UserDataDeletion } from './user-data-deletion.entity.ts';
import { reopenStores } from './verify-deletion.ts';
import { lockDeletion, type ActiveDeletion } from './active-deletion.ts';

/** The status of a dry run is kept as long as its job; that of a deletion as long as its receipt. */
const dryRunRetentionDays = 90;

/**
 * `reopened`: a row still refers to a person, so the deletion must delete and verify again. `unverified`: it must do so
 * because an earlier release verified it, and that release does not know every store.
 */
export type Ending = 'ended' | 'reopened' | 'unverified';

/**
 * Removes the names of a verified deletion's people from the indexes, yielding after each batch. Appends the deletion to
 * the journal, then ends it in one transaction. This deletes the user rows unless organizations were named, lifts the
 * write fence, signs the receipt and emits `user.data_deleted`. Does nothing for an ended deletion.
 */
export async function* completeDeletion(
  orm: Orm,
  completion: Completion,
  deletion: ActiveDeletion,
): AsyncGenerator<void, Ending> {
  // First, because verification finds names by the indexes that `forgetNames` clears.
  if (await reopenUnverified(orm, deletion)) return 'unverified';
  yield* forgetNames(orm, deletion);
  await journalDeletion(orm, completion, deletion);
  try {
    return await inTransaction(orm, async (em) => complete(em, completion, deletion));
  } catch (error) {
    // A foreign key still refers to a user: the verification scan missed a row.
    if (classifyDatabaseError(error) !== 'gone') throw error;
    await reopenStores(orm, deletion, storeNames);
    return 'reopened';
  }
}

/**
 * Returns to the phase `deleting`, for stores that are not completed, when the verification scan did not cover all.
 * Also returns true for a deletion that is already back in this phase: a crash lost the earlier result.
 */
async function reopenUnverified(orm: Orm, deletion: ActiveDeletion): Promise<boolean> {
  return inTransaction(orm, async (em) => {
    const locked = await lockDeletion(em, deletion, ['deleting', 'verifying']);
    if (locked === undefined) return false;
    if (locked.isIn(['deleting'])) return true;
    if (locked.isVerifiedIn(storeNames)) return false;
    locked.reopen([]);
    return true;
  });
}

async function complete(em: EntityManager, signer: ReceiptSigner, deletion: ActiveDeletion): Promise<Ending> {
  const locked = await lockDeletion(em, deletion, ['verifying']);
  if (locked === undefined) return 'ended';
  if (!locked.isVerifiedIn(storeNames)) return 'unverified';
  await removePeople(em, deletion, locked);
  locked.lastTaskAt = now();
  const receipt = await signReceipt(em, signer, locked);
  const job = await end(em, locked, receipt);
  job?.complete(tasksOf(locked.users));
  await recordEvents(em, deletion.tenantId, [
    {
      type: 'user.data_deleted',
      organization: null,
      document: null,
      channels: receipt.organizationIds ?? [],
      payload: { jobId: deletion.publicId, userCount: deletion.users, counts: locked.counts },
      users: [],
    },
  ]);
  return 'ended';
}

/** Deletes the users, locked in the key order of every writer. A deletion in named organizations keeps them. */
async function removePeople(
  em: EntityManager,
  deletion: ActiveDeletion,
  locked: UserDataDeletion,
): Promise<void> {
  const { jobId, tenantId } = deletion;
  const { count } = await onlyRowOf(
    em,
    CountRow,
    sql`with named as (
       select d.user_id, d.known from user_deletion d where d.job_id = ${jobId} and d.api_key_id = ${tenantId}
         and not exists (select from user_deletion_organization o where o.job_id = ${jobId})),
     held as materialized (
       select u.id from app_user u where u.api_key_id = ${tenantId} and u.id = any(array(select user_id from named)) order by u.id for update),
     gone as (
       delete from app_user u where u.api_key_id = ${tenantId} and u.id = any(array(select id from held)) returning u.id)
     select (count(*) filter (where g.id in (select user_id from named where known)))::integer as count from gone g`,
  );
  locked.record({ counts: { user: count }, done: [], position: null });
}

const CountRow = z.strictObject({ count: z.number() });

/** Ends a dry run. Counts the users when the deletion would delete them. */
export async function completeDryRun(orm: Orm, deletion: ActiveDeletion): Promise<void> {
  await inTransaction(orm, async (em) => {
    const locked = await lockDeletion(em, deletion, [null]);
    if (locked === undefined) return;
    const { jobId, tenantId } = deletion;
    const { count } = await onlyRowOf(
      em,
      CountRow,
      sql`select count(*)::integer as count from user_deletion d where d.job_id = ${jobId} and d.api_key_id = ${tenantId}
        and not exists (select from user_deletion_organization o where o.job_id = ${jobId})`,
    );
    locked.record({ counts: { user: count }, done: [], position: null });
    locked.lastTaskAt = now();
    const job = await end(em, locked, null);
    job?.complete(tasksOf(locked.users));
  });
}

/**
 * Cancels a deletion after its current batch and lifts the write fence. The receipt lists what was deleted and what was
 * not. Returns false when the deletion is being verified, is in the journal, runs again after a restore or has ended.
 */
export async function cancelDeletion(
  em: EntityManager,
  signer: ReceiptSigner,
  key: DeletionKey,
): Promise<boolean> {
  const deletion = await lockDeletion(em, key, [null, 'fencing', 'deleting']);
  if (deletion === undefined || deletion.journaledAt !== null) return false;
  // The journal contains it, and its receipt was returned before the restore.
  if ((await lockJob(em, deletion.publicId))?.runsAgain() === true) return false;
  const job = await end(em, deletion, deletion.dryRun ? null : await signReceipt(em, signer, deletion));
  job?.fail(cancelledError);
  return true;
}

/**
 * Clears the people's ids, which lifts the write fence, and stores the receipt. Returns the locked job; the caller ends
 * it.
 */
async function end(
  em: EntityManager,
  deletion: UserDataDeletion,
  receipt: ReceiptBody | null,
): Promise<Job | null> {
  await tablesOf(em)
    .updateTable('user_deletion')
    .set({ ended_at: sql`now()`, user_ext_id: null })
    .where('job_id', '=', deletion.jobId)
    .where('api_key_id', '=', deletion.apiKeyId)
    .execute();
  deletion.end(
    receipt && storedReceipt(receipt),
    receipt === null ? dryRunRetentionDays : receiptLifetimeDays,
  );
  return lockJob(em, deletion.publicId);
}
