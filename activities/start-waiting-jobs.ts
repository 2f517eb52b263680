import pLimit from 'p-limit';
import { takeDueJobs } from '../domain/job-handlers/due-jobs.ts';
import { workflowStartOf } from '../workflows/starts.ts';
import type { Dependencies } from './dependencies.ts';
import { reportProgress } from './work-in-steps.ts';

/** Starts at a time. */
const abreast = 20;

/**
 * Starts the workflows of jobs that wait for one. A workflow that runs is left alone: its id is made of the job's.
 * May be repeated: a job that was taken and not started is due again after a minute.
 */
export const startWaitingJobs =
  ({ orm, startWorkflow }: Dependencies) =>
  async (_input: object): Promise<void> => {
    const due = await takeDueJobs(orm.em.fork());
    const limit = pLimit(abreast);
    try {
      await limit.map(due.map(workflowStartOf), async (start) => {
        await startWorkflow(start);
        reportProgress(limit.pendingCount);
      });
    } finally {
      // After a failure or a cancellation no further one is started.
      limit.clearQueue();
    }
  };
