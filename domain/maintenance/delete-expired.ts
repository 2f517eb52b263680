import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { changedBy } from '../../platform/database/statements.ts';
import { batchDeletion } from '../delete-batch.ts';
import { receiptLifetimeDays } from '../signing/token-keys.ts';
import { maxFailingMs } from '../webhooks/delivery/endpoint-health.ts';

/* Each function deletes one batch and returns whether more rows may be expired. */

/** Rows per statement. */
const maxJobs = 500;
const maxKeys = 100;

const expired = { where: sql`expires_at < now()`, orderBy: 'expires_at' };

/**
 * Deletes responses that release 0.2.0 stored for idempotency keys, after 24 hours. Later responses are in partitions.
 */
export const deleteExpiredIdempotencyResponses = batchDeletion({
  table: 'idempotency',
  only: true,
  where: sql`created_at < now() - interval '24 hours'`,
});

/**
 * Deletes former auth tokens whose overlap after a reset has ended, and scoped tokens 1 day after their expiry. They are
 * already rejected.
 */
export const deleteExpiredTokens = batchDeletion({
  table: 'auth_token',
  where: sql`expires_at < now() and (scopes is null or expires_at < now() - interval '1 day')`,
  orderBy: 'expires_at',
});

/** Deletes operator tokens 90 days after their revocation or expiry. */
export const deleteEndedOperatorTokens = batchDeletion({
  table: 'operator_token',
  where: sql`id > 0 and least(revoked_at, expires_at) < now() - interval '90 days'`,
  orderBy: 'id',
});

/** Deletes expired sessions and sign-in codes of the console. They are already rejected. */
export async function deleteExpiredSessions(em: EntityManager): Promise<boolean> {
  await batchDeletion({ table: 'console_code', ...expired })(em);
  return batchDeletion({ table: 'console_session', ...expired })(em);
}

/** Deletes statuses and receipts of user data deletions after their `expires_at`. */
export const deleteExpiredReceipts = batchDeletion({ table: 'user_data_deletion', ...expired });

/** Deletes ended pauses of deliveries, once no endpoint can have failed since before their end. */
export async function deleteEndedPauses(em: EntityManager): Promise<boolean> {
  await changedBy(
    em,
    sql`delete from webhook_pause where resumed_at < now() - ${maxFailingMs} * interval '1 millisecond'`,
  );
  return false;
}

/**
 * Deletes events that could not be dispatched, after the retention of events plus a day for the partition of the oldest
 * day.
 */
export const deleteExpiredPoisonEvents = (retentionDays: number) =>
  batchDeletion({
    table: 'poison_event',
    where: sql`event_at < now() - ${retentionDays + 1} * interval '1 day'`,
  });

/**
 * Deletes jobs 90 days after their end, with the status and redirect of a migration and the user ids of a deletion. Skips a
 * job that a call is about to retry.
 */
export async function deleteEndedJobs(em: EntityManager): Promise<boolean> {
  const deleted = await changedBy(
    em,
    sql`with old as (
       select id from job where ended_at < now() - interval '90 days' order by ended_at limit ${sql.lit(maxJobs)}
       for update skip locked),
     ended as (update user_data_deletion set users_enc = null where job_id = any(array(select id from old))),
     users as (delete from user_deletion where job_id = any(array(select id from old))),
     organizations as (delete from user_deletion_organization where job_id = any(array(select id from old)))
     delete from job where id = any(array(select id from old))`,
  );
  return deleted === maxJobs;
}

/** Deletes receipts of key deletions `receiptLifetimeDays` days after their verification. */
export const deleteExpiredKeyDeletions = batchDeletion({
  table: 'key_deletion',
  where: sql`verified_at < now() - ${sql.lit(receiptLifetimeDays)} * interval '1 day'`,
  orderBy: 'verified_at',
});

/**
 * Deletes the emptied rows of deleted keys, once the jobs of their deletions and their audit entries are deleted. The
 * filter `userId` of the audit log needs the id of the key. A monthly partition is kept up to 31 days longer than its
 * first entries. Also deletes the limits and channels that a deletion by release 0.2.0 left.
 */
export async function deleteEmptiedKeys(em: EntityManager): Promise<boolean> {
  const left = ['request_bucket', 'limited_call', 'channel_state', 'channel_pace'].map(
    (table) =>
      sql`${sql.ref(`${table}_gone`)} as (
        delete from ${sql.table(table)} where api_key_id = any(array(select id from old)))`,
  );
  const deleted = await changedBy(
    em,
    sql`with old as materialized (
       select k.id from api_key k
       where k.deleted_at < now() - (select greatest(90, days + 31) from audit_retention) * interval '1 day'
         and not exists (select from job j where j.api_key_id = k.id) order by k.deleted_at limit ${sql.lit(maxKeys)}),
     ${sql.join(left)}
     delete from api_key where id = any(array(select id from old))`,
  );
  return deleted === maxKeys;
}
