import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { dispatchQueue, type DispatchInput } from './contract.ts';
import { retryForever, steps } from './steps.ts';
import { onWake } from './wake.ts';

const { dispatchEvents } = steps(
  { ...retryForever, taskQueue: dispatchQueue },
  { dispatchEvents: 'Create messages from events' },
);

/** Creates messages until the outbox of a key is empty and no further signal has arrived. */
export async function dispatchWebhooks(key: DispatchInput): Promise<void> {
  let woken = true;
  onWake(() => {
    woken = true;
  });
  while (woken) {
    woken = false;
    const { finished } = await dispatchEvents(key);
    woken ||= !finished;
    if (woken && workflowInfo().continueAsNewSuggested) await continueAsNew<typeof dispatchWebhooks>(key);
  }
}
