import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleHandle,
  type ScheduleOptions,
  type ScheduleOptionsStartWorkflowAction,
  type Workflow,
} from '@temporalio/client';
import { limitRepeats } from '../platform/logging/limit-repeats.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { errorMessage } from '../platform/process/error-message.ts';
import { repeat } from '../platform/process/repeat.ts';
import { grpcCodeOf, grpcCodes } from '../platform/temporal/grpc.ts';
import { addKeywords, listAttributes } from '../platform/temporal/search-attributes.ts';
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
      const definition = sweepDefinition(await step(async () => registerSearchAttributes(options)));
      const schedule = await step(async () => updateSchedule(client, definition));
      if (schedule === 'missing') {
        // Before the Schedule exists: when this worker crashes, the next one still finds that Temporal is empty.
        await onEmpty();
        await step(async () => createSchedule(client, definition));
        swept = false;
      }
      if (schedule !== 'unsupported' && !swept) await step(async () => sweepHandle(client).trigger());
      swept = true;
      return timesMs.check;
    } catch (error) {
      repeating.debug({ reason: errorMessage(error) }, 'Temporal setup failed');
      return timesMs.retry;
    }
  });
}

/**
 * Registers the search attributes and returns the names that the namespace has. When workers lack the permission, an
 * operator must register them; until then workflows start without.
 */
async function registerSearchAttributes({
  temporal,
  logger,
}: PreparingOptions): Promise<ReadonlySet<string>> {
  const required = Object.values(searchAttributes);
  try {
    await addKeywords(temporal.client(), required);
    return new Set(required);
  } catch (error) {
    if (!isRefused(error)) throw error;
  }
  const known = await registeredAttributes(temporal);
  const missing = required.filter((name) => !known.has(name));
  if (missing.length > 0) logger.warn({ missing }, 'search attributes missing');
  return known;
}

async function registeredAttributes(temporal: TemporalClient): Promise<ReadonlySet<string>> {
  try {
    return await listAttributes(temporal.client());
  } catch (error) {
    if (!isRefused(error)) throw error;
    return new Set();
  }
}

/** Codes of a registration that cannot succeed. INVALID_ARGUMENT: there is no room for another attribute. */
const refusedCodes: ReadonlySet<number | undefined> = new Set([
  grpcCodes.invalidArgument,
  grpcCodes.permissionDenied,
  grpcCodes.unimplemented,
]);

const isRefused = (error: unknown): boolean => refusedCodes.has(grpcCodeOf(error));

type SweepDefinition = Omit<ScheduleOptions<ScheduleOptionsStartWorkflowAction<Workflow>>, 'scheduleId'>;

/** `known`: names of the search attributes that the namespace has. */
function sweepDefinition(known: ReadonlySet<string>): SweepDefinition {
  return {
    spec: { intervals: [{ every: sweepSchedule.every }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
    action: {
      type: 'startWorkflow',
      workflowType: sweepSchedule.workflowType,
      workflowId: sweepSchedule.workflowId,
      taskQueue: workflowQueue,
      args: [],
      staticSummary: sweepSchedule.summary,
      typedSearchAttributes: keywords(
        Object.fromEntries(Object.entries(sweepSchedule.attributes).filter(([name]) => known.has(name))),
      ),
      // A sweep whose worker crashed must not block the next one for longer.
      workflowExecutionTimeout: '5 minutes',
    },
  };
}

const sweepHandle = (client: Client): ScheduleHandle => client.schedule.getHandle(sweepSchedule.scheduleId);

/** Updates the Schedule if it exists. The time-skipping test server supports none. */
async function updateSchedule(
  client: Client,
  definition: SweepDefinition,
): Promise<'updated' | 'missing' | 'unsupported'> {
  try {
    await sweepHandle(client).update(({ state }) => ({ ...definition, state }));
    return 'updated';
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return 'missing';
    if (grpcCodeOf(error) === grpcCodes.unimplemented) return 'unsupported';
    throw error;
  }
}

/** Creates the Schedule, unless another worker has. */
async function createSchedule(client: Client, definition: SweepDefinition): Promise<void> {
  try {
    await client.schedule.create({ scheduleId: sweepSchedule.scheduleId, ...definition });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
