import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { failedPrecondition, notFound } from '../errors.ts';
import { lockJob } from '../jobs/find-job.ts';
import { outlastsKey } from '../jobs/stopped-jobs.ts';
import type { Job } from '../jobs/job.entity.ts';
import { jobStatusNumbers } from '../jobs/job.entity.ts';
import { deletionKind, migrationKind, provisioningKind, type StartableJob } from '../jobs/job-kinds.ts';
import type { JobRow } from '../jobs/read-jobs.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import { isSuspendedKey } from '../workspaces/key-activity.ts';
import { isJobKind } from './job-kinds.ts';
import { readJob } from './read-job.ts';
import { startableColumns, startableOf } from './startable-row.ts';

/** A job to start after the commit. */
export interface RetriedJob {
  readonly job: JobRow;
  readonly startable: StartableJob;
}

/**
 * For operators: reopens a failed job where its kind permits, and returns the input to start its workflow. Starting that
 * of an open job has an effect only when none runs. The sweep repeats a start that fails. Throws FAILED_PRECONDITION for
 * a completed job, a kind whose failed jobs have ended for good, and a job that waits until its key is enabled, and
 * NOT_FOUND.
 */
export async function retryJob(em: EntityManager, jobId: string): Promise<RetriedJob> {
  const job = await lockJob(em, jobId);
  if (job === null || !isJobKind(job.kind)) throw notFound(messages.jobMissing);
  if (job.status === jobStatusNumbers.completed) throw failedPrecondition(messages.jobCompleted);
  if (job.status === jobStatusNumbers.failed) {
    const refusal = await refusalOf(em, job);
    if (refusal !== undefined) throw failedPrecondition(refusal);
    job.reopen();
  } else job.makeDue();
  await em.flush();
  const startable = await tablesOf(em)
    .selectFrom('job as j')
    .innerJoin('api_key as k', 'k.id', 'j.api_key_id')
    .select(startableColumns)
    .select(sql<boolean>`${isSuspendedKey(sql.ref('j.api_key_id'))} and not ${outlastsKey}`.as('suspended'))
    .where('j.id', '=', job.id)
    .executeTakeFirstOrThrow();
  if (startable.suspended) throw failedPrecondition(messages.jobSuspended(startable.key_id));
  return { job: await readJob(em, { everyKey: true }, jobId), startable: startableOf(startable) };
}

/** Why a failed job cannot be retried; undefined when it can. */
async function refusalOf(em: EntityManager, job: Job): Promise<string | undefined> {
  switch (job.kind) {
    case provisioningKind.number:
      return (await isCurrent(em, job)) ? undefined : messages.jobReplaced;
    case migrationKind.number:
      return messages.migrationNotRetried;
    case deletionKind.number:
      return messages.deletionNotRetried;
    default:
      return messages.jobNotRetried;
  }
}

/** Whether a provisioning is the last one of its key. */
async function isCurrent(em: EntityManager, job: Job): Promise<boolean> {
  const application = await tablesOf(em)
    .selectFrom('webhook_application')
    .select('job_id')
    .where('api_key_id', '=', job.apiKeyId)
    .executeTakeFirst();
  return application?.job_id === job.id;
}
