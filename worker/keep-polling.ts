import { setTimeout as pause } from 'node:timers/promises';
import { NativeConnection, Worker, type WorkerOptions, type WorkflowBundleOption } from '@temporalio/worker';
import { repeat } from '../platform/process/repeat.ts';
import type { Activities } from '../activities/index.ts';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import { limitRepeats, type LimitedLogger } from '../platform/logging/limit-repeats.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { errorMessage } from '../platform/process/error-message.ts';
import { deploymentName } from '../platform/temporal/worker-deployment.ts';
import type { Tracing } from '../platform/tracing/spans.ts';
import { activityContext } from './activity-context.ts';
import { activityQueues } from './queues.ts';
import { workflowSinks } from './workflow-sinks.ts';

export interface PollingOptions {
  readonly configuration: ServerConfiguration;
  readonly logger: Logger;
  readonly activities: Activities;
  /** The task queues to poll; undefined for all. */
  readonly only?: ReadonlySet<string>;
  readonly bundle: WorkflowBundleOption;
  /** Called each time the workers of all queues have connected; `active` returns whether they all poll. */
  readonly onPolling: (active: () => boolean) => void;
  /** Undefined while tracing is off. */
  readonly tracing: Tracing | undefined;
  /** Aborts to finish the running tasks and stop. */
  readonly signal: AbortSignal;
}

/**
 * The longest activity that does not yield is an AI call of 30 s. An activity that is still running after this time
 * fails, and another worker repeats it. A container's grace period must be longer than this.
 */
const shutdownGraceTime = '35 seconds';

/** Each cached workflow costs up to 0.4 MB. An evicted one is replayed from its history. */
const maxCachedWorkflows = 100;

/** Concurrent polls per queue, enough for hundreds of tasks a second. */
const maxPollers = 4;

/**
 * Workflow tasks are CPU-bound and time out after 10 s. A busy machine cannot finish more of them concurrently in time,
 * for example at startup.
 */
const maxWorkflowTasks = 8;

/** Time after which any worker may take a workflow task meant for the cache of a worker that has stopped or crashed. */
const stickyTimeout = '3 seconds';

/** Milliseconds between two attempts to connect to Temporal. */
const backoffMs = { initial: 500, max: 5_000 } as const;

/** Max milliseconds of an attempt to connect. */
const connectTimeoutMs = 10_000;

/** Max milliseconds of the check that the namespace exists. */
const namespaceTimeoutMs = 10_000;

/** Polls Temporal until `signal` aborts. Reconnects after every outage. */
export async function keepPolling(options: PollingOptions): Promise<void> {
  const { signal } = options;
  const repeating = limitRepeats(options.logger);
  let delayMs: number = backoffMs.initial;
  await repeat(signal, async () => {
    const began = performance.now();
    try {
      await poll(options, repeating);
    } catch (error) {
      repeating.warn({ reason: errorMessage(error) }, 'Temporal connection failed');
    }
    if (performance.now() - began > 60_000) delayMs = backoffMs.initial;
    const waitMs = delayMs;
    delayMs = Math.min(delayMs * 2, backoffMs.max);
    return waitMs;
  });
}

async function poll(options: PollingOptions, repeating: LimitedLogger): Promise<void> {
  const { configuration, activities, only, bundle, onPolling, tracing, signal } = options;
  const { address, namespace } = configuration.temporal;
  const connection = await connect(configuration.temporal, signal);
  if (connection === undefined) return;
  try {
    // Fails before workers are created, which costs threads, if the namespace is missing.
    await connection.withDeadline(Date.now() + namespaceTimeoutMs, async () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
    const shared = { connection, namespace, shutdownGraceTime, ...versioning(configuration) } as const;
    const workers = await allCreated(
      activityQueues(activities, configuration)
        .filter(({ taskQueue }) => only?.has(taskQueue) !== false)
        .map((queue) =>
          Worker.create({
            ...shared,
            taskQueue: queue.taskQueue,
            activities: queue.activities,
            interceptors: { activity: [activityContext(tracing)] },
            sinks: workflowSinks(tracing),
            maxConcurrentActivityTaskExecutions: queue.slots,
            maxConcurrentActivityTaskPolls: Math.min(queue.slots, maxPollers),
            ...(queue.workflows === true && {
              workflowBundle: bundle,
              maxCachedWorkflows,
              maxConcurrentWorkflowTaskExecutions: maxWorkflowTasks,
              maxConcurrentWorkflowTaskPolls: maxPollers,
              stickyQueueScheduleToStartTimeout: stickyTimeout,
            }),
          }),
        ),
    );
    repeating.info({ temporal: address, namespace }, 'working');
    onPolling(() => workers.every((worker) => worker.getState() === 'RUNNING'));
    await runAll(workers, signal);
  } finally {
    await connection.close();
  }
}

/**
 * Returns a connection, or undefined when `signal` aborts first. The SDK's attempt has no limit where packets are dropped or
 * a TLS handshake gets no response, and cannot be canceled: a connection that it opens later is closed.
 */
async function connect(
  { address, apiKey, tls }: ServerConfiguration['temporal'],
  signal: AbortSignal,
): Promise<NativeConnection | undefined> {
  const connecting = NativeConnection.connect({
    address,
    ...(apiKey !== undefined && { apiKey }),
    // Undefined would mean TLS where an API key is set.
    tls: tls ?? false,
  });
  const ended = new AbortController();
  const limit = pause(connectTimeoutMs, undefined, { signal: AbortSignal.any([signal, ended.signal]) });
  try {
    const connection = await Promise.race([connecting, limit.catch(() => undefined)]);
    if (connection !== undefined) return connection;
  } finally {
    ended.abort();
  }
  void connecting.then(async (late) => late.close()).catch(() => undefined);
  if (signal.aborted) return undefined;
  throw new Error(`Temporal does not respond within ${String(connectTimeoutMs / 1_000)} s.`);
}

/** Resolves with all workers. When one fails, ends the others first: their threads would keep the connection. */
async function allCreated(creations: readonly Promise<Worker>[]): Promise<readonly Worker[]> {
  const created = await Promise.allSettled(creations);
  const workers = created.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failure = created.find((one) => one.status === 'rejected');
  if (failure === undefined) return workers;
  // Only a running worker can be shut down. The failed creation is reported, not failures of these runs.
  await runAll(workers, AbortSignal.abort()).catch(() => undefined);
  throw failure.reason;
}

/** Running workflows move to a new build as soon as it is current. */
const versioning = ({
  workerVersioning,
  buildId,
}: ServerConfiguration): Pick<WorkerOptions, 'workerDeploymentOptions'> =>
  workerVersioning === 'off'
    ? {}
    : {
        workerDeploymentOptions: {
          version: { deploymentName, buildId },
          useWorkerVersioning: true,
          defaultVersioningBehavior: 'AUTO_UPGRADE',
        },
      };

/** Runs all workers. When one of them ends, stops the others. */
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
