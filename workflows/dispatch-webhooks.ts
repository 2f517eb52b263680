import { continueAsNew, defineSignal, setHandler, workflowInfo } from '@temporalio/workflow';
import { dispatchQueue, wakeSignal, type DispatchInput } from './contract.ts';
import { retryForever, steps } from './steps.ts';

const { dispatchEvents } = steps(
  { ...retryForever, taskQueue: dispatchQueue },
  { dispatchEvents: 'Create messages from events' },
);

/** Creates messages until the outbox of a key is empty and no further signal has arrived. */
export async function dispatchWebhooks(key: DispatchInput): Promise<void> {
  let woken = true;
  setHandler(defineSignal(wakeSignal), () => {
    woken = true;
  });
  while (woken) {
    woken = false;
    const { finished } = await dispatchEvents(key);
    woken ||= !finished;
    if (woken && workflowInfo().continueAsNewSuggested) await continueAsNew<typeof dispatchWebhooks>(key);
  }
}
