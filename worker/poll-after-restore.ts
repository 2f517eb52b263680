import type { RestoreGate } from '../domain/deletion-replay/restore-gate.ts';
import { databaseQueue, deletionQueue, workflowQueue } from '../workflows/contract.ts';
import { keepPolling, type PollingOptions } from './keep-polling.ts';

/** The task queues of deletions. No activity on them calls another server. */
const deletionQueues: ReadonlySet<string> = new Set([workflowQueue, databaseQueue, deletionQueue]);

/**
 * Polls Temporal. After a restore it waits until the missing deletions are started again, and polls only their task
 * queues until they have ended. So no webhook and no AI call contains data of a user whose deletion had completed.
 */
export async function pollAfterRestore(gate: RestoreGate, options: PollingOptions): Promise<void> {
  const { signal } = options;
  await gate.reached(['replaying', 'current'], signal);
  if (!gate.isOpen()) {
    const opened = new AbortController();
    const opening = gate.reached(['current'], signal).then(() => opened.abort());
    await keepPolling({ ...options, only: deletionQueues, signal: AbortSignal.any([signal, opened.signal]) });
    await opening;
  }
  await keepPolling(options);
}
