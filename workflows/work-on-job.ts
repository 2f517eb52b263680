import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { databaseQueue, type JobInput } from './contract.ts';
import { steps, retryForADay } from './steps.ts';

const { beginJob, workOnJob: work } = steps(
  // Runs after steps that a caller waits for, which have priorities 2 and 3.
  { ...retryForADay, taskQueue: databaseQueue, priority: { priorityKey: 4 } },
  { beginJob: 'Start the job', workOnJob: 'Work on the job for up to 5 s' },
);

/** Runs a job whose kind has no workflow of its own, up to 5 s at a time, until the job has ended. */
export async function workOnJob({ jobId }: JobInput): Promise<void> {
  if (!(await beginJob({ jobId }))) return;
  while (!(await work({ jobId })).finished) {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof workOnJob>({ jobId });
  }
}
