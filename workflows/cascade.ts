import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { databaseQueue, type CascadeInput } from './contract.ts';
import { steps, retryForADay } from './steps.ts';

const { beginJob, removeRows } = steps(
  // Runs after steps that a caller waits for, which have priorities 2 and 3.
  { ...retryForADay, taskQueue: databaseQueue, priority: { priorityKey: 4 } },
  { beginJob: 'Start the cascade', removeRows: 'Remove rows for up to 5 s' },
);

/** For cascades that began under 0.1.0; `workOnJob` runs later ones. Remove it in 0.4.0. */
export async function cascade({ jobId, from }: CascadeInput): Promise<void> {
  if (!(await beginJob({ jobId }))) return;
  for (let level = from ?? 0; ;) {
    const step = await removeRows({ jobId, from: level });
    if (step.finished) return;
    level = step.from ?? 0;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof cascade>({ jobId, from: level });
  }
}
