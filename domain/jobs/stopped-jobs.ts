import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import { isActive } from '../workspaces/key-activity.ts';
import { keyDeletionKind } from './job-kinds.ts';

/**
 * SQL: whether the job `j` proceeds although its API key is disabled or deleted. This holds for the deletion of a key, for
 * a deletion that runs again after a restore of the database, and for one whose data is gone. After a restore, the API
 * rejects all customers' calls until the last two have ended.
 */
export const outlastsKey = sql<boolean>`(j.kind = ${sql.lit(keyDeletionKind.number)} or (j.request ->> 'replayed') is not null
  or (select u.verified_at from user_data_deletion u where u.job_id = j.id) is not null)`;

/**
 * Whether a job must not proceed, because its API key is disabled. False for an unknown job, and for an ended one: a
 * repeated step changes nothing, and the workflow continues with its result.
 */
export async function isStopped(em: EntityManager, publicId: string): Promise<boolean> {
  const found = await tablesOf(em)
    .selectFrom('job as j')
    .innerJoin('api_key as k', 'k.id', 'j.api_key_id')
    .select(isActive.as('active'))
    .where('j.public_id', '=', publicId)
    .where('j.ended_at', 'is', null)
    .where(sql<boolean>`not ${outlastsKey}`)
    .executeTakeFirst();
  return found?.active === false;
}
