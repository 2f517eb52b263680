import type { RestoreGate } from '../domain/deletion-replay/restore-gate.ts';
import { databaseQueue, deletionQueue, workflowQueue } from '../workflows/contract.ts';
import { keepPolling, type PollingOptions } from './keep-polling.ts';

/** The task queues of deletions. Only `workOnJob` on them calls another server, and it waits until the gate is open. */
const deletionQueues: ReadonlySet<string> = new Set([workflowQueue, databaseQueue, deletionQueue]);

/**
 * Polls Temporal. After a restore it waits until the missing deletions are started again, and polls only their task
 * queues until they have ended. So no webhook and no AI call contains data of a user whose deletion had completed. It
 * detects a restore while it polls within 15 s, such as a failover to a standby that lacks the last deletions: turns then
 * claim nothing more. `onRound` receives the signal that aborts at the end of each round of polling.
 */
export async function pollAfterRestore(
  gate: RestoreGate,
  { onRound, ...options }: PollingOptions & { readonly onRound?: (ended: AbortSignal) => void },
): Promise<void> {
  const { signal } = options;
  while (!signal.aborted) {
    await gate.reached(['replaying', 'current'], signal);
    const wasOpen = gate.isOpen();
    const changed = new AbortController();
    const ended = AbortSignal.any([signal, changed.signal]);
    // An open gate becomes `lossy` only when the journal shows a restore as well.
    const change = gate
      .reached(wasOpen ? ['outdated', 'replaying', 'lossy'] : ['outdated', 'lossy', 'current'], ended)
      .then(() => changed.abort());
    onRound?.(ended);
    await keepPolling({ ...options, ...(!wasOpen && { only: deletionQueues }), signal: ended });
    changed.abort();
    await change;
  }
}
