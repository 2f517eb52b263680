import { condition, patched, setCurrentDetails, upsertMemo, workflowInfo } from '@temporalio/workflow';
import { continueWithMemo } from './continue-with-memo.ts';
import { deliveryQueue, type DeliveryInput, type DeliveryStep } from './contract.ts';
import { retryForever, steps } from './steps.ts';
import { onWake } from './wake.ts';

const { deliverMessages } = steps(
  { ...retryForever, taskQueue: deliveryQueue },
  { deliverMessages: 'Send due messages' },
);

/** Sends an endpoint its messages: at once, when one is due, and when signaled. Ends when no message waits. */
export async function deliverWebhooks(endpoint: DeliveryInput): Promise<void> {
  let woken = false;
  onWake(() => {
    woken = true;
  });
  const show = turnDisplay();
  for (;;) {
    woken = false;
    const step = await deliverMessages(endpoint);
    const { nextIn } = step;
    const summary = summaryOf(endpoint, step);
    show(step, summary);
    if (nextIn === undefined && !woken) return;
    if (workflowInfo().continueAsNewSuggested)
      await continueWithMemo<typeof deliverWebhooks>([endpoint], { lastTurn: undefined });
    if (nextIn !== undefined && nextIn > 0) await condition(() => woken, nextIn, { summary });
  }
}

const failed = ({ attempted = 0, delivered = 0 }: DeliveryStep): boolean => attempted > 0 && delivered === 0;

/** The result of the last turn, for the workflow's details and the summary of the next timer. */
function summaryOf(
  { endpointId }: DeliveryInput,
  { attempted = 0, delivered = 0, nextIn }: DeliveryStep,
): string {
  const turn =
    attempted === 0 ? 'No message was due' : `${String(delivered)} of ${String(attempted)} delivered`;
  const next =
    nextIn === undefined ? 'no message waits' : `next attempt in ${String(Math.ceil(nextIn / 1_000))} s`;
  return `${endpointId}: ${turn}, ${next}`;
}

/**
 * Shows each turn in the Temporal UI. The memo `lastTurn` holds the last turn if all its attempts failed; a turn that
 * delivers a message clears it.
 */
function turnDisplay(): (step: DeliveryStep, summary: string) => void {
  let failing = workflowInfo().memo?.['lastTurn'] !== undefined;
  return (step, summary) => {
    setCurrentDetails(summary);
    const changed = failed(step) || (failing && (step.delivered ?? 0) > 0);
    if (!changed || !patched('last-turn')) return;
    failing = failed(step);
    const { attempted = 0, delivered = 0 } = step;
    upsertMemo({ lastTurn: failing ? { state: 'failed', attempted, delivered } : null });
  };
}
