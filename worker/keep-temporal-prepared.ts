import { isDeepStrictEqual } from 'node:util';
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleDescription,
  type ScheduleHandle,
  type ScheduleOptions,
  type ScheduleOptionsStartWorkflowAction,
  type Workflow,
} from '@temporalio/client';
import { limitRepeats } from '../platform/logging/limit-repeats.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { errorMessage } from '../platform/process/error-message.ts';
import { repeat } from '../platform/process/repeat.ts';
import { grpcCodeOf, grpcCodes, grpcErrorOf } from '../platform/temporal/grpc.ts';
import {
  addKeywords,
  listAttributes,
  type ListedAttributes,
} from '../platform/temporal/search-attributes.ts';
import { keywords, type TemporalClient } from '../platform/temporal/temporal-client.ts';
import { searchAttributes, workflowQueue } from '../workflows/contract.ts';
import { sweepSchedule } from '../workflows/starts.ts';

export interface PreparingOptions {
  readonly temporal: TemporalClient;
  readonly logger: Logger;
  /**
   * Called while Temporal has no Schedule: Temporal is new or has lost its data. Must be repeatable: several workers may
   * call it at the same time, and it is called again after a failure or a crash.
   */
  readonly onEmpty: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Milliseconds: the limit of each step, the delay after a failed one, and the delay between two checks. */
const timesMs = { step: 10_000, retry: 2_000, check: 60_000 } as const;

/**
 * Registers the search attributes and the sweep's Schedule as soon as Temporal responds, and triggers one sweep. Checks
 * every minute that they exist, and creates them again when Temporal has lost its data.
 */
export async function keepTemporalPrepared(options: PreparingOptions): Promise<void> {
  const { temporal, logger, onEmpty, signal } = options;
  const repeating = limitRepeats(logger);
  let swept = false;
  await repeat(signal, async () => {
    try {
      const client = temporal.client();
      const step = async <Result>(act: () => Promise<Result>): Promise<Result> =>
        client.connection.withDeadline(Date.now() + timesMs.step, act);
      const settings = sweepSettings(await step(async () => registerSearchAttributes(options)));
      const schedule = await step(async () => updateSchedule(client, settings));
      if (schedule === 'missing') {
        // Before the Schedule exists: when this worker crashes, the next one still finds that Temporal is empty.
        await onEmpty();
        await step(async () => createSchedule(client, settings));
        swept = false;
      }
      if (schedule !== 'unsupported' && !swept) await step(async () => sweepHandle(client).trigger());
      swept = true;
      return timesMs.check;
    } catch (error) {
      const reason = grpcErrorOf(error)?.details ?? errorMessage(error);
      if (isRefused(error)) repeating.warn({ reason }, 'Temporal setup refused');
      else repeating.debug({ reason }, 'Temporal setup failed');
      return timesMs.retry;
    }
  });
}

/**
 * Registers the missing search attributes and returns the names that the namespace has: Temporal warns of each registration
 * of an existing one. When workers lack the permission, an operator must register them; until then workflows start without.
 */
async function registerSearchAttributes({
  temporal,
  logger,
}: PreparingOptions): Promise<ReadonlySet<string>> {
  const { keywords: known, others } = await registeredAttributes(temporal);
  const unknown = Object.values(searchAttributes).filter((name) => !known.has(name));
  const otherType = unknown.filter((name) => others.has(name));
  if (otherType.length > 0) logger.warn({ otherType }, 'search attributes have another type');
  const missing = unknown.filter((name) => !others.has(name));
  if (missing.length === 0) return known;
  try {
    await addKeywords(temporal.client(), missing);
    return new Set([...known, ...missing]);
  } catch (error) {
    if (!isRefused(error)) throw error;
    logger.warn({ missing }, 'search attributes missing');
    return known;
  }
}

async function registeredAttributes(temporal: TemporalClient): Promise<ListedAttributes> {
  try {
    return await listAttributes(temporal.client());
  } catch (error) {
    if (!isRefused(error)) throw error;
    return { keywords: new Set(), others: new Set() };
  }
}

/** Codes of a call that cannot succeed. INVALID_ARGUMENT: for example, there is no room for another attribute. */
const refusedCodes: ReadonlySet<number | undefined> = new Set([
  grpcCodes.invalidArgument,
  grpcCodes.permissionDenied,
  grpcCodes.unimplemented,
]);

const isRefused = (error: unknown): boolean => refusedCodes.has(grpcCodeOf(error));

/** What the product sets of the Schedule. Its state is the operator's. */
interface SweepSettings {
  readonly everyMs: readonly number[];
  readonly overlap: ScheduleOverlapPolicy;
  readonly catchupMs: number;
  readonly workflowType: string;
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly summary: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly timeoutMs: ScheduleDescription['action']['workflowExecutionTimeout'];
}

/** `known`: names of the search attributes that the namespace has. */
const sweepSettings = (known: ReadonlySet<string>) =>
  ({
    everyMs: [sweepSchedule.everyMs],
    overlap: ScheduleOverlapPolicy.SKIP,
    catchupMs: 60_000,
    workflowType: sweepSchedule.workflowType,
    workflowId: sweepSchedule.workflowId,
    taskQueue: workflowQueue,
    summary: sweepSchedule.summary,
    attributes: Object.fromEntries(
      Object.entries(sweepSchedule.attributes).filter(([name]) => known.has(name)),
    ),
    // A sweep whose worker crashed must not block the next one for longer.
    timeoutMs: 300_000,
  }) satisfies SweepSettings;

type CurrentSettings = ReturnType<typeof sweepSettings>;

const settingsOf = ({ spec, policies, action }: ScheduleDescription): SweepSettings => ({
  everyMs: spec.intervals?.map(({ every }) => every) ?? [],
  overlap: policies.overlap,
  catchupMs: policies.catchupWindow,
  workflowType: action.workflowType,
  workflowId: action.workflowId,
  taskQueue: action.taskQueue,
  summary: action.staticSummary,
  attributes: Object.fromEntries(
    pairsOf(action.typedSearchAttributes).map(({ key, value }) => [key.name, value]),
  ),
  timeoutMs: action.workflowExecutionTimeout,
});

const pairsOf = (attributes: ScheduleDescription['action']['typedSearchAttributes'] = []) =>
  Array.isArray(attributes) ? attributes : attributes.getAll();

type SweepDefinition = Omit<ScheduleOptions<ScheduleOptionsStartWorkflowAction<Workflow>>, 'scheduleId'>;

const definitionOf = (settings: CurrentSettings): SweepDefinition => ({
  spec: { intervals: settings.everyMs.map((every) => ({ every })) },
  policies: { overlap: settings.overlap, catchupWindow: settings.catchupMs },
  action: {
    type: 'startWorkflow',
    workflowType: settings.workflowType,
    workflowId: settings.workflowId,
    taskQueue: settings.taskQueue,
    args: [],
    staticSummary: settings.summary,
    typedSearchAttributes: keywords(settings.attributes),
    workflowExecutionTimeout: settings.timeoutMs,
  },
});

const sweepHandle = (client: Client): ScheduleHandle => client.schedule.getHandle(sweepSchedule.scheduleId);

/**
 * Updates the Schedule if it exists and has other settings. An update would undo an operator's pause that arrives while it
 * runs. The time-skipping test server supports no Schedules.
 */
async function updateSchedule(
  client: Client,
  settings: CurrentSettings,
): Promise<'current' | 'missing' | 'unsupported'> {
  const handle = sweepHandle(client);
  try {
    if (!isDeepStrictEqual(settingsOf(await handle.describe()), settings))
      await handle.update(({ state }) => ({ ...definitionOf(settings), state }));
    return 'current';
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return 'missing';
    if (grpcCodeOf(error) === grpcCodes.unimplemented) return 'unsupported';
    throw error;
  }
}

/** Creates the Schedule, unless another worker has. */
async function createSchedule(client: Client, settings: CurrentSettings): Promise<void> {
  try {
    await client.schedule.create({ scheduleId: sweepSchedule.scheduleId, ...definitionOf(settings) });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
