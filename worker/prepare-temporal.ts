import {
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  type Client,
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
  /** Called when Temporal had no Schedule: Temporal is new or has lost its data. */
  readonly onEmpty: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Milliseconds: the limit of an attempt, the delay after a failed one, and the delay between two checks. */
const timesMs = { attempt: 10_000, retry: 2_000, check: 60_000 } as const;

/**
 * Registers the search attributes and the sweep's Schedule as soon as Temporal responds, and triggers one sweep. Checks
 * every minute that they exist, and creates them again when Temporal has lost its data.
 */
export async function keepTemporalPrepared(options: PreparingOptions): Promise<void> {
  const { temporal, logger, onEmpty, signal } = options;
  const repeating = limitRepeats(logger);
  let swept = false;
  let empty = false;
  await repeat(signal, async () => {
    try {
      const connection = temporal.client().connection;
      await connection.withDeadline(Date.now() + timesMs.attempt, async () => {
        const known = await registerSearchAttributes(options);
        const schedule = await putSchedule(temporal.client(), known);
        empty ||= schedule === 'created';
        if (empty) await onEmpty();
        if (schedule !== 'unsupported' && (!swept || empty))
          await temporal.client().schedule.getHandle(sweepSchedule.scheduleId).trigger();
      });
      swept = true;
      empty = false;
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

/** Creates or updates the Schedule. The time-skipping test server supports none. */
async function putSchedule(
  client: Client,
  known: ReadonlySet<string>,
): Promise<'created' | 'updated' | 'unsupported'> {
  const definition: Omit<ScheduleOptions<ScheduleOptionsStartWorkflowAction<Workflow>>, 'scheduleId'> = {
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
  try {
    await client.schedule.create({ scheduleId: sweepSchedule.scheduleId, ...definition });
    return 'created';
  } catch (error) {
    if (grpcCodeOf(error) === grpcCodes.unimplemented) return 'unsupported';
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule
      .getHandle(sweepSchedule.scheduleId)
      .update(({ state }) => ({ ...definition, state }));
    return 'updated';
  }
}
