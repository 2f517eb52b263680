import { activityInfo } from '@temporalio/activity';
import { removeDescendants } from '../domain/cascade/remove-descendants.ts';
import { findJob } from '../domain/jobs/find-job.ts';
import { completeJob } from '../domain/jobs/job-steps.ts';
import { jobStatusNumbers } from '../domain/jobs/job.entity.ts';
import type { CascadeInput, CascadeStep } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { inOneTurn } from './report-progress.ts';

/**
 * Removes rows for one turn, and ends the job when none is left.
 * May be repeated: the rows themselves show what is left, and a removal and its count share a transaction.
 */
export const removeRows =
  ({ orm }: Dependencies) =>
  async ({ jobId, from = 0 }: CascadeInput): Promise<CascadeStep> => {
    const job = await findJob(orm.em.fork(), jobId);
    if (job?.status !== jobStatusNumbers.in_progress) return { finished: true };
    const reported = activityInfo().heartbeatDetails as number | undefined;
    const turn = await inOneTurn(removeDescendants(orm, job, reported ?? from), { detailsOf: (at) => at });
    if (!turn.finished) return { finished: false, from: turn.at };
    await completeJob(orm, jobId);
    return { finished: true };
  };
