import { LRUCache } from 'lru-cache';
import { overdueSendersOf, waitingTables } from '../domain/deliveries/find-waiting.ts';
import { recordSweepStep } from '../domain/maintenance/sweep-steps.ts';
import {
  endpointsWithOldMessages,
  keysWithDueEvents,
  keysWithOldEvents,
} from '../domain/webhooks/delivery/find-waiting.ts';
import { servedKinds } from '../domain/webhooks/provider.ts';
import type { WorkflowToWake } from '../platform/temporal/workflow-to-start.ts';
import { deliveryStartOf, dispatchStartOf, sendStartOf } from '../workflows/starts.ts';
import { Attempts } from './attempts.ts';
import type { Dependencies } from './dependencies.ts';
import { searchInTurns, searchOf, type Search } from './search-in-turns.ts';

/** Milliseconds after which a sweep examines no further page, so that its other steps succeed every 30 s. */
const sweepMs = 8_000;

/** Milliseconds in which a page's workflows are woken, also when the sweep's time has passed. */
const minWakingMs = 2_000;

/** Sweeps after which a search that has not reached its end makes the step fail: 10 minutes of one worker. */
const maxTurnsBehind = 40;

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
 * as fast as Temporal accepts signals. A sweep continues where the process's last one has stopped, so that each waiting
 * workflow is found however many others wait. Succeeds only while the searches reach their ends. A signal that fails does
 * not stop the others; the failures are thrown at the end. May be repeated: a running workflow checks for work once more.
 */
export const wakeWaitingWebhooks = (
  { orm, webhooks, wakeWorkflow, paused }: Dependencies,
  turnMs: number = sweepMs,
) => {
  // A workflow that waits for a slot gains nothing from a second signal, and each one costs Temporal a workflow task.
  const woken = new LRUCache<string, true>({ max: maxRemembered });
  const searches = waitingWorkflows(webhooks.name);
  return async (_input: object): Promise<void> => {
    woken.purgeStale();
    const until = performance.now() + turnMs;
    let wakingUntil = until;
    let attemptedAll = true;
    const wakes = new Attempts<WorkflowToWake>(async (workflow) => {
      if (performance.now() > wakingUntil) {
        attemptedAll = false;
        return;
      }
      await wakeWorkflow(workflow);
      const ttl = Math.max(minRepeatMs, (woken.size / maxRepeatsPerSecond) * 1_000);
      woken.set(workflow.workflowId, true, { ttl });
    });
    const wakePage = async (workflows: readonly WorkflowToWake[]): Promise<boolean> => {
      wakingUntil = Math.max(until, performance.now() + minWakingMs);
      await wakes.all(workflows.filter(({ workflowId }) => !woken.has(workflowId)));
      return attemptedAll && !wakes.stopped;
    };
    const em = orm.em.fork();
    if (!paused.has('deliveries')) {
      await searchInTurns(em, searches, wakePage, () => wakes.stopped || performance.now() > until);
      wakes.throwFailures();
      if (searches.some(({ turnsBehind }) => turnsBehind >= maxTurnsBehind))
        throw new Error(
          `A search for waiting workflows has not reached its end in ${maxTurnsBehind} sweeps.`,
        );
    }
    await recordSweepStep(em, 'wake_waiting_webhooks');
  };
};

function waitingWorkflows(provider: Dependencies['webhooks']['name']): Search<WorkflowToWake>[] {
  const dispatchOf = (keyId: string) => dispatchStartOf({ keyId });
  return [
    searchOf(keysWithOldEvents, dispatchOf),
    searchOf(keysWithDueEvents, dispatchOf),
    searchOf(
      async (em, after: string | undefined) => endpointsWithOldMessages(em, servedKinds(provider), { after }),
      deliveryStartOf,
    ),
    ...waitingTables.map((table) => searchOf(overdueSendersOf(table), sendStartOf)),
  ];
}
