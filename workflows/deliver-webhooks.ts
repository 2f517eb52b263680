import {
  condition,
  continueAsNew,
  defineSignal,
  patched,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { deliveryQueue, wakeSignal, type DeliveryInput, type DeliveryStep } from './contract.ts';
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
  const show = shown();
  for (;;) {
    woken = false;
    const step = await deliverMessages(endpoint);
    const { nextIn } = step;
    const summary = summaryOf(endpoint, step);
    show(step, summary);
    if (nextIn === undefined && !woken) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliverWebhooks>(endpoint);
    if (nextIn !== undefined && nextIn > 0) await condition(() => woken, nextIn, { summary });
  }
}

const failed = ({ attempted = 0, delivered = 0 }: DeliveryStep): boolean => attempted > 0 && delivered === 0;

/** What the timer until the next turn, and the workflow's details, say of the last one. */
function summaryOf(
  { endpointId }: DeliveryInput,
  { attempted = 0, delivered = 0, nextIn }: DeliveryStep,
): string {
  const turn = attempted === 0 ? 'Nothing was due' : `${String(delivered)} of ${String(attempted)} delivered`;
  const next =
    nextIn === undefined ? 'nothing waits' : `next attempt in ${String(Math.ceil(nextIn / 1_000))} s`;
  return `${endpointId}: ${turn}, ${next}`;
}

/** A turn in which everything failed stands in the memo `lastTurn` until one has delivered something. */
function shown(): (step: DeliveryStep, summary: string) => void {
  let failing = workflowInfo().memo?.['lastTurn'] !== undefined;
  return (step, summary) => {
    setCurrentDetails(summary);
    const turned = failed(step) || (failing && (step.delivered ?? 0) > 0);
    if (!turned || !patched('last-turn')) return;
    failing = failed(step);
    const { attempted = 0, delivered = 0 } = step;
    upsertMemo({ lastTurn: failing ? { state: 'failed', attempted, delivered } : null });
  };
}
