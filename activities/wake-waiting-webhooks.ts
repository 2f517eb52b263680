import { LRUCache } from 'lru-cache';
import { overdueSenders } from '../domain/deliveries/find-waiting.ts';
import {
  endpointsWithOldMessages,
  keysWithDueEvents,
  keysWithOldEvents,
} from '../domain/webhooks/delivery/find-waiting.ts';
import { servedKinds } from '../domain/webhooks/provider.ts';
import type { WorkflowToWake } from '../platform/temporal/workflow-to-start.ts';
import { deliveryStartOf, dispatchStartOf, sendStartOf } from '../workflows/starts.ts';
import { recordSweepStep } from '../domain/maintenance/sweep-steps.ts';
import { Attempts } from './attempts.ts';
import type { Dependencies } from './dependencies.ts';

/** Milliseconds after which a sweep wakes no further workflows, so that its other steps succeed every 30 s. */
const turnMs = 8_000;

/**
 * Max repeated signals per second. A waiting workflow is signaled again after 1 minute, or later when this rate would be
 * exceeded.
 */
const maxRepeatsPerSecond = 15;
const minRepeatMs = 60_000;

/** Workflows whose last signal is remembered. */
const maxRemembered = 20_000;

/**
 * Signals the webhook workflows of keys and endpoints, and the senders of notifications, whose earlier signal was lost,
 * as fast as Temporal accepts signals. A signal that fails does not stop the others; the first failure is thrown at the
 * end. May be repeated: a running workflow checks for work once more.
 */
export const wakeWaitingWebhooks = ({ orm, webhooks, wakeWorkflow, paused }: Dependencies) => {
  // A workflow that waits for a slot gains nothing from a second signal, and each one costs Temporal a workflow task.
  const woken = new LRUCache<string, true>({ max: maxRemembered });
  return async (_input: object): Promise<void> => {
    woken.purgeStale();
    const until = performance.now() + turnMs;
    const wakes = new Attempts<WorkflowToWake>(async (workflow) => {
      if (performance.now() > until) return;
      await wakeWorkflow(workflow);
      const ttl = Math.max(minRepeatMs, (woken.size / maxRepeatsPerSecond) * 1_000);
      woken.set(workflow.workflowId, true, { ttl });
    });
    const em = orm.em.fork();
    for await (const page of paused.has('deliveries') ? [] : waitingWorkflows(em, webhooks.name)) {
      await wakes.all(page.filter(({ workflowId }) => !woken.has(workflowId)));
      if (wakes.stopped || performance.now() > until) break;
    }
    wakes.throwFailure();
    await recordSweepStep(em, 'wake_waiting_webhooks');
  };
};

async function* waitingWorkflows(
  em: Parameters<typeof keysWithOldEvents>[0],
  provider: Dependencies['webhooks']['name'],
): AsyncGenerator<readonly WorkflowToWake[]> {
  const dispatch = (keyIds: readonly string[]) => keyIds.map((keyId) => dispatchStartOf({ keyId }));
  for await (const keyIds of keysWithOldEvents(em)) yield dispatch(keyIds);
  for await (const keyIds of keysWithDueEvents(em)) yield dispatch(keyIds);
  for await (const endpoints of endpointsWithOldMessages(em, servedKinds(provider)))
    yield endpoints.map(deliveryStartOf);
  for await (const senders of overdueSenders(em)) yield senders.map(sendStartOf);
}
