import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import type { Activities } from '../../activities/index.ts';
import { newEncryptionKey } from '../../platform/config/generate-environment.ts';
import { readConfiguration } from '../../platform/config/read-configuration.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import { keepPolling } from '../../worker/keep-polling.ts';
import { deletionQueue, deliveryQueue, dispatchQueue } from '../../workflows/contract.ts';
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

/** Polls until the connection has failed once. */
async function pollUntilFailure(temporal: NodeJS.ProcessEnv): Promise<void> {
  const environment = {
    DATABASE_URL: 'postgres://localhost/steward',
    STEWARD_ENCRYPTION_KEYS: newEncryptionKey(),
    ...temporal,
  };
  const stopping = new AbortController();
  let failed = false;
  const logger = createLogger({ level: 'warn', format: 'json', name: 'worker' }, (line) => {
    failed ||= line.includes('Temporal connection failed');
  });
  const activity = async (): Promise<void> => Promise.resolve();
  const activities = { dispatchEvents: activity, deliverMessages: activity, fenceUsers: activity };
  const polling = keepPolling({
    configuration: readConfiguration(environment, 'worker'),
    logger,
    activities: activities as unknown as Activities,
    only: new Set([deletionQueue, deliveryQueue, dispatchQueue]),
    bundle: { code: '' },
    onPolling: () => undefined,
    tracing: undefined,
    signal: stopping.signal,
  });
  await eventually(() => failed);
  stopping.abort();
  await polling;
}

describe('a worker', () => {
  it('creates no workers while its namespace is missing', async () => {
    const { TEMPORAL_ADDRESS } = await aNamespace();
    let created = 0;
    Worker.create = async (options) => {
      created += 1;
      return create(options);
    };
    await pollUntilFailure({ TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE: 'missing' });
    expect(created).toBe(0);
  });

  it('ends the workers of the other queues when one cannot be created', async () => {
    const temporal = await aNamespace();
    const workers: Worker[] = [];
    Worker.create = async (options) => {
      if (options.taskQueue === dispatchQueue) throw new Error('No worker.');
      const worker = await create(options);
      workers.push(worker);
      return worker;
    };
    await pollUntilFailure(temporal);
    expect(workers.length).toBeGreaterThan(0);
    expect(workers.map((worker) => worker.getState())).toEqual(workers.map(() => 'STOPPED'));
  });
});
