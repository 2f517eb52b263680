import type { EntityManager } from '../../platform/database/orm.ts';
import { rows } from '../../platform/database/sql.ts';

/** Rows a statement; the next turn takes what is left. */
const atOnce = 5_000;

/** Answers kept for `Idempotency-Key` live 24 hours. */
export async function clearIdempotentAnswers(em: EntityManager): Promise<void> {
  await rows(
    em,
    `delete from idempotency where ctid = any(array(
       select ctid from idempotency where created_at < now() - interval '24 hours' limit ${String(atOnce)}))
       and created_at < now() - interval '24 hours'`,
  );
}

/** Former auth tokens whose overlap after a reset has ended; they are refused already. */
export async function clearExpiredTokens(em: EntityManager): Promise<void> {
  await rows(
    em,
    `delete from auth_token where token_hash = any(array(
       select token_hash from auth_token where expires_at < now() order by expires_at limit ${String(atOnce)}))
       and expires_at < now()`,
  );
}

/** How deletions of people's data went, and their receipts, for the time that each was given at its end. */
export async function clearExpiredReceipts(em: EntityManager): Promise<void> {
  await rows(
    em,
    `delete from user_data_deletion where job_id = any(array(
       select job_id from user_data_deletion where expires_at < now() order by expires_at limit ${String(atOnce)}))
       and expires_at < now()`,
  );
}

/**
 * Jobs live 90 days from their end, and with them the status of a migration, where it moved its document, and the userIds
 * of a deletion.
 */
export async function clearEndedJobs(em: EntityManager): Promise<void> {
  await rows(
    em,
    `with old as (
       select id from job where ended_at < now() - interval '90 days' order by ended_at limit 500),
     ended as (update user_data_deletion set users_enc = null where job_id = any(array(select id from old))),
     users as (delete from user_deletion where job_id = any(array(select id from old))),
     organizations as (delete from user_deletion_organization where job_id = any(array(select id from old)))
     delete from job where id = any(array(select id from old))`,
  );
}
