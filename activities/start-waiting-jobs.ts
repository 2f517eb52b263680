import { takeDueJobs } from '../domain/jobs/due-jobs.ts';
import { workflowStartOf } from '../workflows/contract.ts';
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
    const starts = due.map(workflowStartOf);
    while (starts.length > 0) {
      await Promise.all(starts.splice(0, abreast).map(startWorkflow));
      reportProgress(starts.length);
    }
  };
