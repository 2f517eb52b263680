import pLimit from 'p-limit';
import { claimDueJobs } from '../domain/job-handlers/due-jobs.ts';
import { workflowStartOf } from '../workflows/starts.ts';
import { recordSweepStep } from '../domain/maintenance/sweep-steps.ts';
import type { Dependencies } from './dependencies.ts';
import { reportProgress } from './report-progress.ts';

/** Concurrent starts. */
const maxConcurrentStarts = 20;

/**
 * Starts the workflows of waiting jobs. A running workflow is left as it is: its id is derived from the job's.
 * May be repeated: a job that was claimed and not started is due again after a minute.
 */
export const startWaitingJobs =
  ({ orm, startWorkflow }: Dependencies) =>
  async (_input: object): Promise<void> => {
    const due = await claimDueJobs(orm.em.fork());
    const limit = pLimit(maxConcurrentStarts);
    try {
      await limit.map(due.map(workflowStartOf), async (start) => {
        await startWorkflow(start);
        reportProgress(limit.pendingCount);
      });
    } finally {
      // No further workflow starts after a failure or a cancellation.
      limit.clearQueue();
    }
    await recordSweepStep(orm.em.fork(), 'start_waiting_jobs');
  };
