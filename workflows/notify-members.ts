import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { databaseQueue, type JobInput } from './contract.ts';
import { steps, retryForADay } from './steps.ts';

const { beginJob, tellMembers } = steps(
  { ...retryForADay, taskQueue: databaseQueue, priority: { priorityKey: 3 } },
  { beginJob: 'Start the notification', tellMembers: 'Notify members for up to 5 s' },
);

/** Notifies the members of a document, up to 5 s at a time, until every member has been considered. */
export async function notifyMembers({ jobId }: JobInput): Promise<void> {
  if (!(await beginJob({ jobId }))) return;
  for (;;) {
    const { finished } = await tellMembers({ jobId });
    if (finished) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof notifyMembers>({ jobId });
  }
}
