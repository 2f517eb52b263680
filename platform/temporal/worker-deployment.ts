import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { grpcCodeOf, grpcCodes } from './grpc.ts';

/** The Worker Deployment of every worker; its versions are build ids. */
export const deploymentName = 'steward';

/** A poller that was last seen earlier than this has stopped: a poll takes at most 60 s. */
const pollerSeenWithinMs = 75_000;

/** Workers of one build. */
export interface Build {
  readonly buildId: string;
  /** `inactive`: never current or ramping. `draining`: previously current, and workflows may still run on it. */
  readonly status: 'inactive' | 'current' | 'ramping' | 'draining' | 'drained';
  /** Worker processes that polled in the last 75 s. */
  readonly pollers: number;
}

/** Which builds get work. */
export interface WorkerDeployment {
  /** The build that gets work; null when workers without a version do. */
  readonly current: string | null;
  /** Whether a command ever set the current version, including to none. */
  readonly everSet: boolean;
  /** The build that gets a percentage of the workflows. */
  readonly ramp: { readonly buildId: string; readonly percentage: number } | null;
  readonly builds: readonly Build[];
  /** Worker processes without a version that polled in the last 75 s. */
  readonly unversionedPollers: number;
}

/** Numbers of the enums of Temporal's API. */
const statuses = {
  2: 'current',
  3: 'ramping',
  4: 'draining',
  5: 'drained',
} as const satisfies Record<number, Build['status']>;
const workflowTasks = 1;
const versioned = 2;

/** Whether Temporal refuses further requests about the deployment until an internal workflow of it catches up. */
const isBusy = (error: unknown): boolean => grpcCodeOf(error) === grpcCodes.resourceExhausted;

/**
 * Whether a change may succeed later. Temporal learns of a build and its task queues from their first polls, and
 * refuses requests while it is busy.
 */
export const isTemporary = (error: unknown): boolean => temporaryCodes.has(grpcCodeOf(error));

const temporaryCodes: ReadonlySet<number | undefined> = new Set([
  grpcCodes.resourceExhausted,
  grpcCodes.notFound,
  grpcCodes.failedPrecondition,
]);

/** Max milliseconds for repeated reads of a busy deployment, and the delay between them. */
const busyMs = { limit: 15_000, delay: 250 } as const;

/** `taskQueue`: the queue of workflow tasks. A server without Worker Deployments returns no builds. */
export async function readDeployment(client: Client, taskQueue: string): Promise<WorkerDeployment> {
  const [info, pollers] = await Promise.all([readInfo(client), readPollers(client, taskQueue)]);
  const { currentDeploymentVersion, currentVersionChangedTime, rampingDeploymentVersion, ...routing } =
    info?.routingConfig ?? {};
  const builds = (info?.versionSummaries ?? []).map(({ deploymentVersion, status }): Build => {
    const buildId = deploymentVersion?.buildId ?? '';
    return {
      buildId,
      status: statuses[(status ?? 0) as keyof typeof statuses] ?? 'inactive',
      pollers: pollers.get(buildId) ?? 0,
    };
  });
  return {
    current: currentDeploymentVersion?.buildId ?? null,
    everSet: Boolean(currentVersionChangedTime),
    ramp: rampingDeploymentVersion?.buildId
      ? { buildId: rampingDeploymentVersion.buildId, percentage: routing.rampingVersionPercentage ?? 0 }
      : null,
    builds,
    unversionedPollers: pollers.get(unversioned) ?? 0,
  };
}

async function readInfo({ workflowService, options: { namespace } }: Client) {
  const until = Date.now() + busyMs.limit;
  for (;;) {
    try {
      return (await workflowService.describeWorkerDeployment({ namespace, deploymentName }))
        .workerDeploymentInfo;
    } catch (error) {
      const code = grpcCodeOf(error);
      if (code === grpcCodes.notFound || code === grpcCodes.unimplemented) return undefined;
      if (!isBusy(error) || Date.now() >= until) throw error;
    }
    await pause(busyMs.delay);
  }
}

/** Marks workers without a version; build ids are never empty. */
const unversioned = '';

/** The number of worker processes by build id. */
async function readPollers(
  { workflowService, options: { namespace } }: Client,
  taskQueue: string,
): Promise<ReadonlyMap<string, number>> {
  const { pollers } = await workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: workflowTasks,
  });
  const counts = new Map<string, number>();
  for (const { lastAccessTime, deploymentOptions } of pollers ?? []) {
    if (Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1_000 > pollerSeenWithinMs) continue;
    const { workerVersioningMode, buildId: polled } = deploymentOptions ?? {};
    const buildId = Number(workerVersioningMode) === versioned ? (polled ?? unversioned) : unversioned;
    counts.set(buildId, (counts.get(buildId) ?? 0) + 1);
  }
  return counts;
}

/**
 * Without it, Temporal refuses a build while a task queue of the current build has tasks and no worker of the new build
 * polls that queue. But workers do not poll queues of paused work, those of a later release, or most of them before a
 * replay of the deletion journal has ended, for which the build must be current.
 */
const ignoreMissingTaskQueues = true;

/** Routes all work to a build, or to workers without a version (null). Ends a ramp of that build. */
export async function setCurrentBuild(
  { workflowService, options: { namespace } }: Client,
  buildId: string | null,
): Promise<void> {
  await workflowService.setWorkerDeploymentCurrentVersion({
    namespace,
    deploymentName,
    buildId: buildId ?? unversioned,
    ignoreMissingTaskQueues,
  });
}

/** Routes a percentage of the workflows to a build; null ends the ramp. */
export async function setRamp(
  { workflowService, options: { namespace } }: Client,
  ramp: WorkerDeployment['ramp'],
): Promise<void> {
  await workflowService.setWorkerDeploymentRampingVersion({
    namespace,
    deploymentName,
    buildId: ramp?.buildId ?? unversioned,
    percentage: ramp?.percentage ?? 0,
    ignoreMissingTaskQueues,
  });
}
