import { LockMode } from '@mikro-orm/core';
import { sql } from 'kysely';
import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import { isActive } from '../workspaces/key-activity.ts';
import { keyDeletionKind } from './job-kinds.ts';
import { Job } from './job.entity.ts';

/** Finds a job by its public id; null when it does not exist. The tenant comes from the row, never from an argument. */
export const findJob = async (em: EntityManager, publicId: string): Promise<Job | null> =>
  em.findOne(Job, { publicId });

/** Locks a job until the end of the transaction, which saves changes to it. */
export const lockJob = async (em: EntityManager, publicId: string): Promise<Job | null> =>
  em.findOne(Job, { publicId }, { lockMode: LockMode.PESSIMISTIC_WRITE });

/** Claims a job. Returns whether there is work to do; undefined when the job does not exist. */
export const beginJob = async (orm: Orm, publicId: string): Promise<boolean | undefined> =>
  inTransaction(orm, async (em) => (await lockJob(em, publicId))?.begin());

/** Completes a job that is in progress. */
export const completeJob = async (orm: Orm, publicId: string): Promise<void> =>
  inTransaction(orm, async (em) => (await lockJob(em, publicId))?.complete());

/**
 * Adds to a job's progress in the transaction of the work, so that a repeated batch counts once. `left` is the
 * remaining part of the request, which it replaces.
 */
export async function addProgress(
  em: EntityManager,
  { publicId }: Job,
  records: number,
  left?: object,
): Promise<void> {
  const job = await lockJob(em, publicId);
  job?.addProgress(records);
  if (left !== undefined) job?.continueWith(left);
}

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
