import { LockMode } from '@mikro-orm/core';
import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import { Job } from './job.entity.ts';

/** By its public id; null for a job that is not there (any more). The tenant comes from the row: an argument is never trusted alone. */
export const findJob = async (em: EntityManager, publicId: string): Promise<Job | null> =>
  em.findOne(Job, { publicId });

/** Holds a job until the transaction ends, which writes what is changed on it. */
export const lockJob = async (em: EntityManager, publicId: string): Promise<Job | null> =>
  em.findOne(Job, { publicId }, { lockMode: LockMode.PESSIMISTIC_WRITE });

/** Says whether there is work to do; undefined when there is no such job. */
export const beginJob = async (orm: Orm, publicId: string): Promise<boolean | undefined> =>
  inTransaction(orm, async (em) => (await lockJob(em, publicId))?.begin());

/** Ends a job that is in progress. */
export const completeJob = async (orm: Orm, publicId: string): Promise<void> =>
  inTransaction(orm, async (em) => (await lockJob(em, publicId))?.complete());

/** Adds to what a job has done, in the transaction that did it: a repeated step counts once. */
export const addProgress = async (em: EntityManager, { publicId }: Job, records: number): Promise<void> =>
  (await lockJob(em, publicId))?.addProgress(records);
