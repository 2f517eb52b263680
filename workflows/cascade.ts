import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { databaseQueue, type CascadeInput } from './contract.ts';
import { steps, untilItWorks } from './steps.ts';

const { beginJob, removeRows } = steps(
  // Behind what someone waits for.
  { ...untilItWorks, taskQueue: databaseQueue, priority: { priorityKey: 4 } },
  { beginJob: 'Take the cascade in hand', removeRows: 'Remove rows for a turn' },
);

/** For cascades that began under an earlier release; later ones are carried out by `workOnJob`. */
export async function cascade({ jobId, from }: CascadeInput): Promise<void> {
  if (!(await beginJob({ jobId }))) return;
  for (let place = from ?? 0; ;) {
    const step = await removeRows({ jobId, from: place });
    if (step.finished) return;
    place = step.from ?? 0;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof cascade>({ jobId, from: place });
  }
}
