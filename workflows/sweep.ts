import { ActivityFailure, isCancellation, patched } from '@temporalio/workflow';
import { workflowQueue } from './contract.ts';
import { onceInAWhile, steps } from './steps.ts';

const { startWaitingJobs, wakeWaitingWebhooks, keepHouse } = steps(
  // On the queue of the workflows: long work on the other one must not keep a lost job waiting.
  { ...onceInAWhile, taskQueue: workflowQueue, priority: { priorityKey: 1 } },
  {
    startWaitingJobs: 'Start the workflows of jobs that wait',
    wakeWaitingWebhooks: 'Wake what should have sent events long ago',
    keepHouse: 'Clear away what has had its time',
  },
);

/** One turn of the sweep. A part that fails is made up for by the next turn, and keeps the other from nothing. */
export async function sweep(): Promise<void> {
  const webhooks = patched('webhooks') ? [wakeWaitingWebhooks] : [];
  for (const part of [startWaitingJobs, ...webhooks, keepHouse]) {
    try {
      await part({});
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    }
  }
}
