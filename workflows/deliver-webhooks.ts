import { condition, continueAsNew, defineSignal, setHandler, workflowInfo } from '@temporalio/workflow';
import { deliveryQueue, wakeSignal, type DeliveryInput } from './contract.ts';
import { inTurns, steps } from './steps.ts';

const { deliverMessages } = steps(
  { ...inTurns, taskQueue: deliveryQueue },
  { deliverMessages: 'Send what is due for a turn' },
);

/** Takes turns while an endpoint has something to get: at once, when it is due, and when it is woken. Ends when nothing waits. */
export async function deliverWebhooks(endpoint: DeliveryInput): Promise<void> {
  let woken = false;
  setHandler(defineSignal(wakeSignal), () => {
    woken = true;
  });
  for (;;) {
    woken = false;
    const { nextIn } = await deliverMessages(endpoint);
    if (nextIn === undefined && !woken) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliverWebhooks>(endpoint);
    if (nextIn !== undefined && nextIn > 0) await condition(() => woken, nextIn);
  }
}
