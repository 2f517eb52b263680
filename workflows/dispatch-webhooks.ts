import { continueAsNew, defineSignal, setHandler, workflowInfo } from '@temporalio/workflow';
import { dispatchQueue, wakeSignal, type DispatchInput } from './contract.ts';
import { inTurns, steps } from './steps.ts';

const { dispatchEvents } = steps(
  { ...inTurns, taskQueue: dispatchQueue },
  { dispatchEvents: 'Hand events to endpoints for a turn' },
);

/** Takes turns until the outbox of a key is empty and nobody has said otherwise meanwhile. */
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
