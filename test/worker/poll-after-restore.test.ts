import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { Activities } from '../../activities/index.ts';
import { RestoreGate } from '../../domain/deletion-replay/restore-gate.ts';
import { newEncryptionKey } from '../../platform/config/generate-environment.ts';
import { readConfiguration } from '../../platform/config/read-configuration.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import { pollAfterRestore } from '../../worker/poll-after-restore.ts';
import { databaseQueue, deletionQueue, deliveryQueue, workflowQueue } from '../../workflows/contract.ts';
import { eventually } from '../support/eventually.ts';
import { aNamespace } from '../support/temporal.ts';
import { quietRuntime } from '../workflows/quiet-runtime.ts';

beforeAll(() => {
  quietRuntime();
});

const create = Worker.create.bind(Worker);
afterEach(() => {
  Worker.create = create;
});

/** The task queues that running workers poll. */
const polled = new Set<string>();

/** Replaces Temporal's workers, which would run the activities. */
async function recordedWorker({ taskQueue }: WorkerOptions): Promise<Worker> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let state = 'INITIALIZED';
  const worker = {
    getState: () => state,
    async run() {
      state = 'RUNNING';
      polled.add(taskQueue);
      await promise;
      polled.delete(taskQueue);
      state = 'STOPPED';
    },
    shutdown: () => resolve(undefined),
  };
  return worker as unknown as Worker;
}

describe('a worker with a deletion journal', () => {
  it('polls only deletions while the database is older than the journal, also when that begins later', async () => {
    Worker.create = recordedWorker;
    const environment = {
      DATABASE_URL: 'postgres://localhost/steward',
      STEWARD_ENCRYPTION_KEYS: newEncryptionKey(),
      ...(await aNamespace()),
    };
    const gate = new RestoreGate(true);
    const stopping = new AbortController();
    const polling = pollAfterRestore(gate, {
      configuration: readConfiguration(environment, 'worker'),
      logger: createLogger({ level: 'warn', format: 'json', name: 'worker' }, () => undefined),
      activities: {} as Activities,
      bundle: { code: '' },
      onPolling: () => undefined,
      tracing: undefined,
      signal: stopping.signal,
    });
    const deletions = [databaseQueue, deletionQueue, workflowQueue].sort();
    const everything = async (): Promise<void> =>
      eventually(() => expect([...polled]).toEqual(expect.arrayContaining([...deletions, deliveryQueue])));
    gate.change('current');
    await everything();
    gate.change('outdated');
    await eventually(() => expect([...polled]).toEqual([]));
    gate.change('replaying');
    await eventually(() => expect([...polled].sort()).toEqual(deletions));
    gate.change('current');
    await everything();
    gate.change('lossy');
    await eventually(() => expect([...polled]).toEqual([]));
    gate.change('replaying');
    await eventually(() => expect([...polled].sort()).toEqual(deletions));
    gate.change('lossy');
    await eventually(() => expect([...polled]).toEqual([]));
    gate.change('current');
    await everything();
    stopping.abort();
    await polling;
    expect([...polled]).toEqual([]);
  });
});
