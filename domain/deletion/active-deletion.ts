import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../platform/database/orm.ts';
import { now } from '../columns.ts';
import { lockJob } from '../jobs/find-job.ts';
import { tablesOf } from '../tables.ts';
import { noOrganization } from './accept-deletion.ts';
import type { DeletionPhase } from './deletion-phases.ts';
import { doneKinds, tasksOf } from './deletion-tasks.ts';
import type { DeletionKey } from './deletion-users.ts';
import type { PersonalDataCounts, PersonScope } from './stores/personal-data-store.ts';
import { UserDataDeletion, type CompletedStep } from './user-data-deletion.entity.ts';

/** A deletion that has not ended. The tenant comes from the row, never from an activity's argument. */
export interface ActiveDeletion {
  readonly jobId: string;
  readonly publicId: string;
  readonly tenantId: string;
  /** Public id of the API key. */
  readonly keyId: string;
  readonly dryRun: boolean;
  readonly users: number;
  /** Records processed so far, by kind. */
  readonly counts: PersonalDataCounts;
  readonly createdAt: Date;
}

/** Finds a deletion that has not ended by the public id of its job. */
export async function findDeletion(em: EntityManager, jobId: string): Promise<ActiveDeletion | undefined> {
  return tablesOf(em)
    .selectFrom('job as j')
    .innerJoin('user_data_deletion as d', 'd.job_id', 'j.id')
    .innerJoin('api_key as k', 'k.id', 'd.api_key_id')
    .select(['d.job_id as jobId', 'd.public_id as publicId', 'd.api_key_id as tenantId'])
    .select([
      'k.public_id as keyId',
      'd.dry_run as dryRun',
      'd.users',
      'd.counts',
      'd.created_at as createdAt',
    ])
    .where('j.public_id', '=', jobId)
    .where('d.ended_at', 'is', null)
    .executeTakeFirst();
}

/** Reads the people and organizations of a deletion. */
export async function readPersonScope(
  em: EntityManager,
  { jobId, tenantId }: ActiveDeletion,
): Promise<PersonScope> {
  const users = await tablesOf(em)
    .selectFrom('user_deletion')
    .select(['user_id as id', 'user_ext_id as userId'])
    .where('job_id', '=', jobId)
    .where('api_key_id', '=', tenantId)
    .orderBy('user_id')
    .$narrowType<{ userId: string }>()
    .execute();
  const scoped = await tablesOf(em)
    .selectFrom('user_deletion_organization')
    .select('org_id')
    .where('job_id', '=', jobId)
    .orderBy('org_id')
    .execute();
  const organizations = scoped.map(({ org_id }) => org_id).filter((id) => id !== noOrganization);
  return { tenantId, users, organizations: scoped.length === 0 ? null : organizations };
}

/**
 * Locks a deletion in one of these phases (null: before the first); the transaction saves changes to it. Returns
 * undefined when it has ended or is in another phase; the caller must then do nothing. Take this lock before any other.
 */
export async function lockDeletion(
  em: EntityManager,
  { jobId, tenantId: apiKeyId }: DeletionKey,
  phases: readonly (DeletionPhase | null)[],
): Promise<UserDataDeletion | undefined> {
  const open = { jobId, apiKeyId, endedAt: null };
  const found = await em.findOne(UserDataDeletion, open, { lockMode: LockMode.PESSIMISTIC_WRITE });
  return found?.isIn(phases) === true ? found : undefined;
}

/** Records a batch of a locked deletion, and the completed tasks in its job. */
export async function recordBatch(
  em: EntityManager,
  deletion: UserDataDeletion,
  batch: CompletedStep,
): Promise<void> {
  const before = doneKinds(deletion.doneStores).length;
  deletion.record(batch);
  const after = doneKinds(deletion.doneStores).length;
  if (after === before) return;
  deletion.lastTaskAt = now();
  const job = await lockJob(em, deletion.publicId);
  if (job !== null) job.progress = { done: deletion.users * after, total: tasksOf(deletion.users) };
}
