import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import { lockJob } from './find-job.ts';
import type { Job } from './job.entity.ts';

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
