import {
  condition,
  continueAsNew,
  defineQuery,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { laneQuery, senderQueues, type Lane, type SendInput, type SendStep } from './contract.ts';
import { retryForever, steps } from './steps.ts';
import { onWake } from './wake.ts';

const summaries = { sendNotices: 'Send due notifications' } as const;
const senders = {
  email: steps({ ...retryForever, taskQueue: senderQueues.email }, summaries),
  slack: steps({ ...retryForever, taskQueue: senderQueues.slack }, summaries),
};

/**
 * Sends due deliveries on a channel of a key: at once, when the next is due, and when signaled. Ends when nothing waits.
 */
export async function sendNotifications(sender: SendInput): Promise<void> {
  let woken = false;
  let lane: Lane = { waiting: 0, due: 0, held: false, nextAt: null };
  onWake(() => {
    woken = true;
  });
  setHandler(defineQuery<Lane>(laneQuery), () => lane);
  for (;;) {
    woken = false;
    const step = await senders[sender.channel].sendNotices({ ...sender, now: Date.now() });
    const { nextIn, counts } = step;
    const { waiting, due, held } = counts;
    lane = { waiting, due, held, nextAt: nextIn === undefined ? null : Date.now() + nextIn };
    const summary = summaryOf(step);
    setCurrentDetails(summary);
    if (nextIn === undefined && !woken) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof sendNotifications>(sender);
    if (nextIn !== undefined && nextIn > 0) await condition(() => woken, nextIn, { summary });
  }
}

function summaryOf({ nextIn, counts: { waiting, sent, held } }: SendStep): string {
  const next = nextIn === undefined ? 'nothing waits' : `next in ${String(Math.ceil(nextIn / 1_000))} s`;
  return `${String(sent)} sent, ${String(waiting)} waiting${held ? ', held' : ''}, ${next}`;
}
