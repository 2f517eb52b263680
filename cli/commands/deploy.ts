import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { readConfiguration } from '../../platform/config/read-configuration.ts';
import { variables } from '../../platform/config/variables.ts';
import { openTemporal } from '../../platform/temporal/temporal-client.ts';
import {
  deploymentName,
  isTemporary,
  readDeployment,
  setCurrentBuild,
  setRamp,
  type WorkerDeployment,
} from '../../platform/temporal/worker-deployment.ts';
import { workflowQueue } from '../../workflows/contract.ts';
import { BadOption } from '../failure.ts';
import { tableLines } from '../operations/result-lines.ts';
import { filledText, percentage, waitSeconds } from '../options.ts';
import type { Output } from '../output.ts';
import type { Surroundings } from '../settings.ts';

/** Max milliseconds until Temporal responds, and until it knows the task queues of a build. */
const limitMs = 15_000;

/** Milliseconds between two checks for workers of a build. */
const checkDelayMs = 500;

export interface BuildOptions {
  readonly buildId?: string;
  /** Seconds. */
  readonly wait?: string;
}

/** Prints which builds get work, and which workers poll. */
export const showDeployment = async (surroundings: Surroundings): Promise<Output> =>
  withTemporal(surroundings, async (client) => statusOf(await readDeployment(client, workflowQueue)));

/** Routes all work to a build, or to workers without a version. Refuses a build that no worker polls for. */
export async function makeCurrent(
  surroundings: Surroundings,
  { unversioned, ...options }: BuildOptions & { readonly unversioned?: true },
): Promise<Output> {
  if (unversioned === true && options.buildId !== undefined)
    throw new BadOption('--unversioned and --build-id exclude each other.');
  const waitMs = waitMsOf(options);
  const buildId = unversioned === true ? null : buildIdOf(surroundings, options);
  return withTemporal(surroundings, async (client) => {
    await whenPolling(client, buildId, waitMs);
    await onceKnown(async () => setCurrentBuild(client, buildId));
    return statusOf(await readDeployment(client, workflowQueue));
  });
}

/** Routes a percentage of the workflows to a build; 0 ends the ramp. */
export async function ramp(
  surroundings: Surroundings,
  options: BuildOptions & { readonly percentage: string },
): Promise<Output> {
  const part = percentage('--percentage', options.percentage);
  const waitMs = waitMsOf(options);
  const buildId = buildIdOf(surroundings, options);
  return withTemporal(surroundings, async (client) => {
    if (part > 0) await whenPolling(client, buildId, waitMs);
    await onceKnown(async () => setRamp(client, part > 0 ? { buildId, percentage: part } : null));
    return statusOf(await readDeployment(client, workflowQueue));
  });
}

const waitMsOf = ({ wait }: BuildOptions): number => waitSeconds('--wait', wait) * 1_000;

const buildIdOf = ({ environment }: Surroundings, options: BuildOptions): string => {
  const buildId = filledText('--build-id', options.buildId);
  if (buildId === undefined) return readConfiguration(environment, 'cli').buildId;
  const { parse, may } = variables.STEWARD_BUILD_ID;
  if (parse(buildId) === undefined) throw new BadOption(`--build-id may be ${may}.`);
  return buildId;
};

/** Throws unless workers poll for the build: a mistyped build id would stop all work. `null` stands for workers without a version. */
async function whenPolling(client: Client, buildId: string | null, waitMs: number): Promise<void> {
  const until = Date.now() + waitMs;
  for (;;) {
    const { builds, unversionedPollers } = await readDeployment(client, workflowQueue);
    const own = builds.find((build) => build.buildId === buildId);
    if ((buildId === null ? unversionedPollers : (own?.pollers ?? 0)) > 0) return;
    if (Date.now() >= until) throw new Error(noPollers(buildId, builds));
    await pause(checkDelayMs);
  }
}

/** Repeats a change while Temporal is busy, or does not yet know the task queues of a new build. */
async function onceKnown(change: () => Promise<void>): Promise<void> {
  const until = Date.now() + limitMs;
  for (;;) {
    try {
      await change();
      return;
    } catch (error) {
      if (!isTemporary(error) || Date.now() >= until) throw error;
    }
    await pause(checkDelayMs);
  }
}

function noPollers(buildId: string | null, builds: WorkerDeployment['builds']): string {
  const which =
    buildId === null ? 'No worker without a version polls' : `No worker of build ${buildId} polls`;
  const polling = builds.filter(({ pollers }) => pollers > 0).map((build) => build.buildId);
  const others = polling.length > 0 ? ` Builds that poll: ${polling.join(', ')}.` : '';
  return `${which}: start one, or wait for it with --wait <seconds>.${others}`;
}

async function withTemporal<Result>(
  { environment }: Surroundings,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const { temporal: options } = readConfiguration(environment, 'cli');
  const { address = '', namespace } = options;
  const temporal = openTemporal({ ...options, address });
  try {
    if (!(await temporal.available(limitMs)))
      throw new Error(
        `Temporal at ${address} does not respond, or has no namespace ${namespace}. ` +
          'Check TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and certificates.',
      );
    return await work(temporal.client());
  } finally {
    await temporal.close();
  }
}

function statusOf(deployment: WorkerDeployment): Output {
  const { current, ramp: ramping, builds, unversionedPollers } = deployment;
  return {
    lines: [
      `current: ${current ?? 'none: workers without a version get the work'}`,
      ...(ramping === null ? [] : [`ramp: ${String(ramping.percentage)} % to ${ramping.buildId}`]),
      ...(unversionedPollers > 0 ? [`workers without a version: ${String(unversionedPollers)}`] : []),
      ...(builds.length > 0
        ? [
            '',
            ...tableLines(
              builds.map((build) => ({ ...build })),
              ['buildId', 'status', 'pollers'],
            ),
          ]
        : []),
    ],
    json: { deploymentName, current, ramp: ramping, builds, unversionedPollers },
  };
}
