import type { Logger } from '../logging/logger.ts';
import type { TemporalClient, WorkflowToWake } from './temporal-client.ts';

/** Signals a workflow, and starts it where it does not run. May reject: what is lost is made up for by a sweep. */
export type Wake = (workflow: WorkflowToWake) => Promise<void>;

export interface Wakes {
  /** Never throws and is never waited for. */
  wake(workflow: WorkflowToWake): void;
}

export interface WakesOptions {
  readonly signal: Wake;
  /** Milliseconds between two signals to one workflow. */
  readonly apart: number;
  readonly onFailure: (workflowId: string, error: Error) => void;
}

/**
 * Wakes workflows, the first time at once; however often one is wished for after that, it is signalled once in `apart`
 * at most. A wish while a signal is on its way goes out after it: it may be younger than what the signalled one finds.
 */
export function coalescedWakes({ signal, apart, onFailure }: WakesOptions): Wakes {
  const requests = new Map<string, WorkflowToWake | undefined>();
  const carryOut = async (workflowId: string): Promise<void> => {
    for (let request = requests.get(workflowId); request !== undefined; request = requests.get(workflowId)) {
      requests.set(workflowId, undefined);
      const passed = new Promise<void>((resolve) => {
        setTimeout(resolve, apart).unref();
      });
      await signal(request).catch((error: Error) => onFailure(workflowId, error));
      await passed;
    }
    requests.delete(workflowId);
  };
  return {
    wake(workflow) {
      const waits = requests.has(workflow.workflowId);
      requests.set(workflow.workflowId, workflow);
      if (!waits) void carryOut(workflow.workflowId);
    },
  };
}

/** Milliseconds between two signals of a process to one workflow. */
const apart = 200;

/** Wakes through Temporal, with so many milliseconds for each signal. */
export const wakesOf = (temporal: TemporalClient, limit: number, logger: Logger): Wakes =>
  coalescedWakes({
    signal: async (workflow) => temporal.wake(workflow, limit),
    apart,
    onFailure: (workflowId, error) =>
      logger.info({ workflowId, reason: error.message }, 'workflow wake failed'),
  });
