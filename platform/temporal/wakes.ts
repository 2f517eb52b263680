import { AsyncLocalStorage } from 'node:async_hooks';
import type { LimitedLogger } from '../logging/limit-repeats.ts';
import type { TemporalClient, WorkflowToWake } from './temporal-client.ts';

/** Signals a workflow, and starts it if it does not run. May reject: the sweep replaces lost signals. */
export type Wake = (workflow: WorkflowToWake) => Promise<void>;

export interface Wakes {
  /** Never throws; returns before the signal is sent. */
  wake(workflow: WorkflowToWake): void;
  /** Sends waiting signals immediately, and resolves when every signal has been sent or has failed. */
  flush(): Promise<void>;
}

export interface WakesOptions {
  readonly signal: Wake;
  /** Min time between two signals to one workflow. */
  readonly intervalMs: number;
  readonly onFailure: (workflowId: string, error: Error) => void;
}

/**
 * Wakes a workflow immediately the first time, then at most once per `intervalMs`. A wake requested during a signal is
 * sent afterwards: the workflow may have missed the newer work.
 */
export function coalescedWakes({ signal, intervalMs, onFailure }: WakesOptions): Wakes {
  const requests = new Map<string, (() => Promise<void>) | undefined>();
  const sending = new Set<Promise<void>>();
  const send = async (workflowId: string, request: () => Promise<void>): Promise<void> => {
    requests.set(workflowId, undefined);
    const sent = request().catch((error: Error) => onFailure(workflowId, error));
    sending.add(sent);
    await sent;
    sending.delete(sent);
  };
  const carryOut = async (workflowId: string): Promise<void> => {
    for (let request = requests.get(workflowId); request !== undefined; request = requests.get(workflowId)) {
      const passed = new Promise<void>((resolve) => {
        setTimeout(resolve, intervalMs).unref();
      });
      await send(workflowId, request);
      await passed;
    }
    requests.delete(workflowId);
  };
  return {
    wake(workflow) {
      const waits = requests.has(workflow.workflowId);
      // The signal belongs to the call that requested it, not to the one that began the loop.
      requests.set(
        workflow.workflowId,
        AsyncLocalStorage.bind(async () => signal(workflow)),
      );
      if (!waits) void carryOut(workflow.workflowId);
    },
    async flush() {
      for (const [workflowId, request] of requests) if (request !== undefined) void send(workflowId, request);
      await Promise.all(sending);
    },
  };
}

/** For a process whose deliveries are paused: the sweep of another process wakes the workflows. */
export const noWakes: Wakes = { wake: () => undefined, flush: async () => undefined };

const intervalMs = 200;

/** Wakes through Temporal; each signal times out after `timeoutMs`. */
export const wakesOf = (temporal: TemporalClient, timeoutMs: number, logger: LimitedLogger): Wakes =>
  coalescedWakes({
    signal: async (workflow) => temporal.wake(workflow, timeoutMs),
    intervalMs,
    onFailure: (workflowId, error) =>
      logger.info({ workflowId, reason: error.message }, 'workflow wake failed'),
  });
