import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../platform/database/orm.ts';
import { Job } from './job.entity.ts';

/** Finds a job by its public id; null when it does not exist. The tenant comes from the row, never from an argument. */
export const findJob = async (em: EntityManager, publicId: string): Promise<Job | null> =>
  em.findOne(Job, { publicId });

/** Locks a job until the end of the transaction, which saves changes to it. */
export const lockJob = async (em: EntityManager, publicId: string): Promise<Job | null> =>
  em.findOne(Job, { publicId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
