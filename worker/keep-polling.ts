import { setTimeout as pause } from 'node:timers/promises';
import { NativeConnection, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import type { Activities } from '../activities/index.ts';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { activityQueues } from './queues.ts';

export interface PollingOptions {
  readonly configuration: ServerConfiguration;
  readonly logger: Logger;
  readonly activities: Activities;
  readonly bundle: WorkflowBundleOption;
  /** Called whenever the workers of all queues have connected. */
  readonly onPolling: () => void;
  /** Lets what is under way finish, then ends. */
  readonly signal: AbortSignal;
}

/** An activity works for seconds at most before it makes room; a container's grace must be longer than this. */
const shutdownGraceTime = '30 seconds';

/** Workflows kept in memory: each costs up to 0.4 MB, and one that was put out is replayed from its history. */
const cachedWorkflows = 100;

/** Requests for work that wait at Temporal for each queue: hundreds of tasks a second come through so many. */
const pollers = 4;

/** Milliseconds between two tries to reach Temporal. */
const waits = { first: 500, longest: 5_000 } as const;

/** Asks Temporal for work until it is told to stop; connects again, however often and long Temporal is away. */
export async function keepPolling(options: PollingOptions): Promise<void> {
  const { logger, signal } = options;
  let wait: number = waits.first;
  while (!signal.aborted) {
    const began = Date.now();
    try {
      await poll(options);
    } catch (error) {
      logger.warn({ reason: reasonOf(error) }, 'Temporal connection failed');
    }
    if (Date.now() - began > 60_000) wait = waits.first;
    await pause(wait, undefined, { signal }).catch(() => undefined);
    wait = Math.min(wait * 2, waits.longest);
  }
}

async function poll(options: PollingOptions): Promise<void> {
  const { configuration, logger, activities, bundle, onPolling, signal } = options;
  const { address, namespace, apiKey, tls } = configuration.temporal;
  const connection = await NativeConnection.connect({
    address,
    ...(apiKey !== undefined && { apiKey }),
    ...(tls !== undefined && { tls }),
  });
  try {
    const shared = { connection, namespace, shutdownGraceTime } as const;
    const workers = await Promise.all(
      activityQueues(activities, configuration).map((queue) =>
        Worker.create({
          ...shared,
          taskQueue: queue.taskQueue,
          activities: queue.activities,
          maxConcurrentActivityTaskExecutions: queue.slots,
          maxConcurrentActivityTaskPolls: Math.min(queue.slots, pollers),
          ...(queue.workflows === true && {
            workflowBundle: bundle,
            maxCachedWorkflows: cachedWorkflows,
          }),
        }),
      ),
    );
    logger.info({ temporal: address, namespace }, 'working');
    onPolling();
    await runAll(workers, signal);
  } finally {
    await connection.close();
  }
}

/** All or none: when one of the workers ends, the others are stopped too. */
async function runAll(workers: readonly Worker[], signal: AbortSignal): Promise<void> {
  const stop = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  signal.addEventListener('abort', stop);
  try {
    const runs = workers.map((worker) => worker.run().finally(stop));
    if (signal.aborted) stop();
    const ended = await Promise.allSettled(runs);
    const failure = ended.find((run) => run.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
