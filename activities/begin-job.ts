import { activityInfo } from '@temporalio/activity';
import { beginJob as begin } from '../domain/jobs/job-steps.ts';
import type { JobInput } from '../workflows/contract.ts';
import type { Orm } from '../platform/database/orm.ts';
import type { Dependencies } from './dependencies.ts';
import { MissingJob } from './translate-errors.ts';

/**
 * Milliseconds until a job without a row fails for good. The row is committed before the workflow starts, so it is
 * visible earlier.
 */
const rowVisibleMs = 30_000;

/**
 * Starts a job. Returns whether it has work to do.
 * May be repeated: only a pending job changes; a job in progress returns the same result.
 */
export const beginJob =
  ({ orm }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<boolean> =>
    startJob(orm, jobId);

/** Starts a job for an activity that returns more than `beginJob`. Throws `MissingJob`. */
export async function startJob(orm: Orm, jobId: string): Promise<boolean> {
  const begun = await begin(orm, jobId);
  if (begun !== undefined) return begun;
  const { currentAttemptScheduledTimestampMs: now, scheduledTimestampMs: first } = activityInfo();
  throw new MissingJob(now - first > rowVisibleMs);
}
