import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { beginJob as begin } from '../domain/jobs/find-job.ts';
import type { JobInput } from '../workflows/contract.ts';
import type { Orm } from '../platform/database/orm.ts';
import type { Dependencies } from './dependencies.ts';

/** Milliseconds in which a job's row must be seen; the workflow is started after its commit, so later is never. */
const rowAppears = 30_000;

/**
 * Takes a job in hand; says whether there is work to do.
 * May be repeated: only a pending job changes, and one that was taken before is answered alike.
 */
export const beginJob =
  ({ orm }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<boolean> =>
    takeInHand(orm, jobId);

/** The same for activities that begin a job with more to say. */
export async function takeInHand(orm: Orm, jobId: string): Promise<boolean> {
  const begun = await begin(orm, jobId);
  if (begun !== undefined) return begun;
  const { currentAttemptScheduledTimestampMs: now, scheduledTimestampMs: first } = activityInfo();
  const nonRetryable = now - first > rowAppears;
  throw ApplicationFailure.create({ message: 'There is no such job.', type: 'NOT_FOUND', nonRetryable });
}
