import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { databaseQueue, type JobInput } from './contract.ts';
import { steps, untilItWorks } from './steps.ts';

const { beginJob, tellMembers } = steps(
  { ...untilItWorks, taskQueue: databaseQueue, priority: { priorityKey: 3 } },
  { beginJob: 'Take the notification in hand', tellMembers: 'Notify members for a turn' },
);

/** Notifies the members of a document, turn by turn, until everyone was looked at. */
export async function notifyMembers({ jobId }: JobInput): Promise<void> {
  if (!(await beginJob({ jobId }))) return;
  for (;;) {
    const { finished } = await tellMembers({ jobId });
    if (finished) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof notifyMembers>({ jobId });
  }
}
