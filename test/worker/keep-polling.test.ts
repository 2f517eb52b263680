import { createServer, type AddressInfo, type Socket } from 'node:net';
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

/** Starts to poll; `lines` receives warnings. */
function startPolling(temporal: NodeJS.ProcessEnv) {
  const environment = {
    DATABASE_URL: 'postgres://localhost/steward',
    STEWARD_ENCRYPTION_KEYS: newEncryptionKey(),
    ...temporal,
  };
  const stopping = new AbortController();
  const lines: string[] = [];
  const logger = createLogger({ level: 'warn', format: 'json', name: 'worker' }, (line) => {
    lines.push(line);
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
  return { stopping, polling, lines };
}

/** Polls until the connection has failed once. */
async function pollUntilFailure(temporal: NodeJS.ProcessEnv): Promise<void> {
  const { stopping, polling, lines } = startPolling(temporal);
  await eventually(() => lines.some((line) => line.includes('Temporal connection failed')));
  stopping.abort();
  await polling;
}

/** A server that accepts connections and never responds. TLS: otherwise the keep-alive of HTTP/2 ends an attempt. */
async function aSilentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // Attempts that the test ends.
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    environment: { TEMPORAL_ADDRESS: `127.0.0.1:${String(port)}`, TEMPORAL_TLS: 'on' },
    open: () => sockets.size,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
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

  it('logs a failure when Temporal accepts its connection and does not respond', async () => {
    const server = await aSilentServer();
    const { stopping, polling, lines } = startPolling(server.environment);
    try {
      const line = await eventually(() => lines[0] ?? false);
      expect(JSON.parse(line)).toMatchObject({
        msg: 'Temporal connection failed',
        reason: 'Temporal does not respond within 10 s.',
      });
    } finally {
      stopping.abort();
      server.close();
      await polling;
    }
  });

  it('stops while Temporal accepts its connection and does not respond', async () => {
    const server = await aSilentServer();
    const { stopping, polling, lines } = startPolling(server.environment);
    try {
      await eventually(() => server.open() === 1);
      stopping.abort();
      await polling;
      expect([server.open(), lines]).toEqual([1, []]);
    } finally {
      server.close();
    }
  });
});
