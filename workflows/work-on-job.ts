import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { databaseQueue, type JobInput } from './contract.ts';
import { steps, untilItWorks } from './steps.ts';

const { beginJob, workOnJob: workForATurn } = steps(
  // Behind what someone waits for.
  { ...untilItWorks, taskQueue: databaseQueue, priority: { priorityKey: 4 } },
  { beginJob: 'Begin the job', workOnJob: 'Work on the job for a turn' },
);

/** Carries out a job of a kind that has no workflow of its own: works on it turn by turn until it has ended. */
export async function workOnJob({ jobId }: JobInput): Promise<void> {
  if (!(await beginJob({ jobId }))) return;
  while (!(await workForATurn({ jobId })).finished) {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof workOnJob>({ jobId });
  }
}
