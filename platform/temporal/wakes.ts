import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import { OwnerLimits } from '../process/owner-limits.ts';
import type { LimitedLogger } from '../logging/limit-repeats.ts';
import { captureContext } from '../logging/log-context.ts';
import type { TemporalClient } from './temporal-client.ts';
import type { WorkflowToWake } from './workflow-to-start.ts';

/** Signals a workflow, and starts it if it does not run. May reject: the sweep replaces lost signals. */
export type Wake = (workflow: WorkflowToWake) => Promise<void>;

export interface Wakes {
  /** Never throws; returns before the signal is sent. */
  wake(workflow: WorkflowToWake): void;
  /**
   * Sends waiting signals immediately, and resolves when every signal has been sent or has failed, or after `flushMs`. The
   * sweep replaces the others.
   */
  flush(): Promise<void>;
}

/** A signal to send. `key`: fairness key of its workflow. */
interface Request {
  readonly key: string;
  readonly send: () => Promise<void>;
}

export interface WakesOptions {
  readonly signal: Wake;
  /** Min time between two signals to one workflow. */
  readonly intervalMs: number;
  /** Delays after which a failed signal is sent again, one after the other. */
  readonly retryDelaysMs: readonly number[];
  /** Max time of `flush`. */
  readonly flushMs: number;
  readonly onFailure: (workflowId: string, error: Error) => void;
}

/**
 * Concurrent signals of a process, and of one key: an event of one key may wake 10,000 endpoints, and other calls need
 * Temporal, too.
 */
const maxConcurrent = { ofAll: 100, ofKey: 50 } as const;

/**
 * Max workflows whose signal waits or is being sent: twice the endpoints of one key. While Temporal does not respond, they
 * would otherwise fill the memory: each takes about 5 KiB.
 */
const maxWaiting = 20_000;
const tooManyWait = new Error(`The wakes of ${String(maxWaiting)} workflows wait.`);

/**
 * Wakes a workflow immediately the first time, then at most once per `intervalMs`. A wake requested during a signal is
 * sent afterwards: the workflow may have missed the newer work. A failed signal is sent again, because the sweep would
 * replace it up to half a minute later. At most 100 signals are sent concurrently, 50 of them of one key, in order of their
 * requests. While the wakes of 20,000 workflows wait, that of another workflow fails at once.
 */
export function coalescedWakes({
  signal,
  intervalMs,
  retryDelaysMs,
  flushMs,
  onFailure,
}: WakesOptions): Wakes {
  const requests = new Map<string, Request | undefined>();
  const sending = new Set<Promise<void>>();
  const limit = pLimit(maxConcurrent.ofAll);
  const keys = new OwnerLimits(maxConcurrent.ofKey);
  /** Returns whether the signal was sent. */
  const send = async (workflowId: string, request: Request): Promise<boolean> => {
    requests.set(workflowId, undefined);
    let failed = false;
    const sent = keys
      .run(request.key, async () => limit(request.send))
      .catch((error: Error) => {
        failed = true;
        onFailure(workflowId, error);
      });
    sending.add(sent);
    await sent;
    sending.delete(sent);
    return !failed;
  };
  const carryOut = async (workflowId: string): Promise<void> => {
    let failures = 0;
    for (let request = requests.get(workflowId); request !== undefined; request = requests.get(workflowId)) {
      const passed = passing(intervalMs);
      failures = (await send(workflowId, request)) ? 0 : failures + 1;
      const retryMs = failures === 0 ? undefined : retryDelaysMs[failures - 1];
      if (retryMs !== undefined) {
        if (requests.get(workflowId) === undefined) requests.set(workflowId, request);
        // Spreads the retries of signals that failed together.
        await passing(retryMs * (0.75 + Math.random() / 2));
      }
      await passed;
    }
    requests.delete(workflowId);
  };
  return {
    wake(workflow) {
      const waits = requests.has(workflow.workflowId);
      if (!waits && requests.size >= maxWaiting) {
        onFailure(workflow.workflowId, tooManyWait);
        return;
      }
      // The signal belongs to the call that requested it, not to the one that began the loop.
      const within = captureContext();
      requests.set(workflow.workflowId, {
        key: workflow.fairnessKey ?? '',
        send: async () => within(async () => signal(workflow)),
      });
      if (!waits) void carryOut(workflow.workflowId);
    },
    async flush() {
      for (const [workflowId, request] of requests) if (request !== undefined) void send(workflowId, request);
      await Promise.race([Promise.all(sending), passing(flushMs)]);
      keys.clear();
      limit.clearQueue();
    },
  };
}

/** Does not keep the process running. */
const passing = async (ms: number): Promise<void> => pause(ms, undefined, { ref: false });

/** For a process whose deliveries are paused: the sweep of another process wakes the workflows. */
export const noWakes: Wakes = { wake: () => undefined, flush: async () => undefined };

const intervalMs = 200;
const retryDelaysMs = [1_000, 5_000];

/** Wakes through Temporal; each signal times out after `timeoutMs`. */
export const wakesOf = (temporal: TemporalClient, timeoutMs: number, logger: LimitedLogger): Wakes =>
  coalescedWakes({
    signal: async (workflow) => temporal.wake(workflow, timeoutMs),
    intervalMs,
    retryDelaysMs,
    flushMs: timeoutMs,
    onFailure: (workflowId, error) =>
      logger.info({ workflowId, reason: error.message }, 'workflow wake failed'),
  });
