import { sql, type RawBuilder } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { changedBy } from '../../platform/database/statements.ts';
import { receiptLifetimeDays } from '../signing/token-keys.ts';
import { maxFailingMs } from '../webhooks/delivery/endpoint-health.ts';

/* Each function deletes one batch and returns whether more rows may be expired. */

/** Rows per statement. */
const maxRows = 5_000;
const maxJobs = 500;
const maxKeys = 100;

/** Deletes one batch of up to `max` rows. Returns whether it was full, so that more rows may be expired. */
const deleteBatch = async (
  em: EntityManager,
  statement: RawBuilder<unknown>,
  max = maxRows,
): Promise<boolean> => (await changedBy(em, statement)) === max;

/**
 * Deletes responses that release 0.2.0 stored for idempotency keys, after 24 hours. Later responses are in partitions.
 */
export async function deleteExpiredIdempotencyResponses(em: EntityManager): Promise<boolean> {
  return deleteBatch(
    em,
    sql`delete from only idempotency where ctid = any(array(
       select ctid from only idempotency where created_at < now() - interval '24 hours' limit ${sql.lit(maxRows)}))
       and created_at < now() - interval '24 hours'`,
  );
}

/**
 * Deletes former auth tokens whose overlap after a reset has ended, and scoped tokens 1 day after their expiry. They are
 * already rejected.
 */
export async function deleteExpiredTokens(em: EntityManager): Promise<boolean> {
  return deleteBatch(
    em,
    sql`delete from auth_token where token_hash = any(array(
       select token_hash from auth_token where expires_at < now()
         and (scopes is null or expires_at < now() - interval '1 day')
       order by expires_at limit ${sql.lit(maxRows)}))
       and expires_at < now()`,
  );
}

/** Deletes operator tokens 90 days after their revocation or expiry. */
export async function deleteEndedOperatorTokens(em: EntityManager): Promise<boolean> {
  return deleteBatch(
    em,
    sql`delete from operator_token where id = any(array(
       select id from operator_token where id > 0 and least(revoked_at, expires_at) < now() - interval '90 days'
       order by id limit ${sql.lit(maxRows)}))`,
  );
}

/** Deletes expired sessions and sign-in codes of the console. They are already rejected. */
export async function deleteExpiredSessions(em: EntityManager): Promise<boolean> {
  const codes = sql`select code_hash from console_code where expires_at < now() order by expires_at limit ${sql.lit(maxRows)}`;
  await changedBy(em, sql`delete from console_code where code_hash = any(array(${codes}))`);
  return deleteBatch(
    em,
    sql`delete from console_session where session_hash = any(array(
       select session_hash from console_session where expires_at < now() order by expires_at limit ${sql.lit(maxRows)}))
       and expires_at < now()`,
  );
}

/** Deletes statuses and receipts of user data deletions after their `expires_at`. */
export async function deleteExpiredReceipts(em: EntityManager): Promise<boolean> {
  return deleteBatch(
    em,
    sql`delete from user_data_deletion where job_id = any(array(
       select job_id from user_data_deletion where expires_at < now() order by expires_at limit ${sql.lit(maxRows)}))
       and expires_at < now()`,
  );
}

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
export const deleteExpiredPoisonEvents =
  (retentionDays: number) =>
  async (em: EntityManager): Promise<boolean> => {
    const expired = sql`event_at < now() - ${retentionDays + 1} * interval '1 day'`;
    return deleteBatch(
      em,
      sql`delete from poison_event where ctid = any(array(
        select ctid from poison_event where ${expired} limit ${sql.lit(maxRows)})) and ${expired}`,
    );
  };

/**
 * Deletes jobs 90 days after their end, with the status and redirect of a migration and the user ids of a deletion. Skips a
 * job that a call is about to retry.
 */
export async function deleteEndedJobs(em: EntityManager): Promise<boolean> {
  return deleteBatch(
    em,
    sql`with old as (
       select id from job where ended_at < now() - interval '90 days' order by ended_at limit ${sql.lit(maxJobs)}
       for update skip locked),
     ended as (update user_data_deletion set users_enc = null where job_id = any(array(select id from old))),
     users as (delete from user_deletion where job_id = any(array(select id from old))),
     organizations as (delete from user_deletion_organization where job_id = any(array(select id from old)))
     delete from job where id = any(array(select id from old))`,
    maxJobs,
  );
}

/** Deletes receipts of key deletions `receiptLifetimeDays` days after their verification. */
export async function deleteExpiredKeyDeletions(em: EntityManager): Promise<boolean> {
  return deleteBatch(
    em,
    sql`delete from key_deletion where job_id = any(array(
       select job_id from key_deletion where verified_at < now() - ${sql.lit(receiptLifetimeDays)} * interval '1 day'
       order by verified_at limit ${sql.lit(maxRows)}))`,
  );
}

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
  return deleteBatch(
    em,
    sql`with old as materialized (
       select k.id from api_key k
       where k.deleted_at < now() - (select greatest(90, days + 31) from audit_retention) * interval '1 day'
         and not exists (select from job j where j.api_key_id = k.id) order by k.deleted_at limit ${sql.lit(maxKeys)}),
     ${sql.join(left)}
     delete from api_key where id = any(array(select id from old))`,
    maxKeys,
  );
}
