import { ActivityFailure, deprecatePatch, isCancellation } from '@temporalio/workflow';
import { workflowQueue } from './contract.ts';
import { retryInNextSweep, steps } from './steps.ts';

const { startWaitingJobs, wakeWaitingWebhooks, keepHouse } = steps(
  // On the queue of workflow tasks: long work on the database queue must not delay lost jobs.
  { ...retryInNextSweep, taskQueue: workflowQueue, priority: { priorityKey: 1 } },
  {
    startWaitingJobs: 'Start the workflows of waiting jobs',
    wakeWaitingWebhooks: 'Wake webhook workflows with overdue work',
    keepHouse: 'Delete expired rows',
  },
);

/** One sweep. A step that fails does not stop the others; the next sweep retries it. */
export async function sweep(): Promise<void> {
  // Histories of 0.1.0 have this patch. Remove the call in 0.4.0.
  deprecatePatch('webhooks');
  for (const step of [startWaitingJobs, wakeWaitingWebhooks, keepHouse]) {
    try {
      await step({});
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    }
  }
}
