import { LockMode } from '@mikro-orm/core';
import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
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

/** Adds to a job's progress in the transaction of the work, so that a repeated batch counts once. */
export const addProgress = async (em: EntityManager, { publicId }: Job, records: number): Promise<void> =>
  (await lockJob(em, publicId))?.addProgress(records);
