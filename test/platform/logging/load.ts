import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import { freshId, type TestDocument, type TestTenant } from '../../support/factories.ts';
import type { TestProcess } from '../../support/processes.ts';

/* Load on an API and a worker, whose log lines a test counts. */

/** A tenant of the API, with a document. */
export interface Location {
  readonly tenant: TestTenant;
  readonly document: TestDocument;
}

interface Processes<Value> {
  readonly api: Value;
  readonly worker: Value;
}

/** Returns a function that returns the lines that each process has logged since, except access lines. */
export function eventLines({ api, worker }: Processes<TestProcess>): () => Processes<readonly string[]> {
  const since =
    (log: readonly string[], index = log.length) =>
    (): string[] =>
      log.slice(index).filter((line) => !line.includes('"msg":"request"'));
  const lines = { api: since(api.log), worker: since(worker.log) };
  return () => ({ api: lines.api(), worker: lines.worker() });
}

/** Milliseconds between two calls. */
const callDelayMs = 200;

/** Runs `act` under a load of events, jobs and readiness checks. */
export async function underLoad({ tenant, document }: Location, act: () => Promise<unknown>): Promise<void> {
  const { organizationId } = document;
  const ended = new AbortController();
  const calls = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const documentId = freshId('short-lived');
      await tenant.call('/v2/organizations/documents/add', { organizationId, documents: [{ documentId }] });
      await tenant.call('/v2/organizations/documents/delete', { organizationId, documentIds: [documentId] });
      await tenant.call('/readyz', undefined, { method: 'GET' });
      await pause(callDelayMs);
    }
  };
  const calling = calls();
  await act();
  ended.abort();
  await calling;
}

/** Waits until the API accepts a job and the worker has completed it. */
export async function worksAgain({ tenant, document: { organizationId } }: Location): Promise<void> {
  await eventually(async () => {
    const documentId = freshId('after');
    await tenant.ok('/v2/organizations/documents/add', { organizationId, documents: [{ documentId }] });
    const { jobId } = await tenant.ok('/v2/organizations/documents/delete', {
      organizationId,
      documentIds: [documentId],
    });
    await eventually(async () => {
      const { data } = await tenant.ok<{ status: string }>('/v2/jobs/get', { jobId });
      return data.status === 'completed';
    });
    return true;
  });
}
