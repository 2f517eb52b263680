import { setTimeout as pause } from 'node:timers/promises';
import {
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleOptions,
  type ScheduleOptionsStartWorkflowAction,
  type Workflow,
} from '@temporalio/client';
import type { Logger } from '../platform/logging/logger.ts';
import { addKeywords } from '../platform/temporal/search-attributes.ts';
import { keywords, type TemporalClient } from '../platform/temporal/temporal-client.ts';
import { searchAttributes, workflowQueue } from '../workflows/contract.ts';
import { sweepSchedule } from '../workflows/starts.ts';

export interface PreparingOptions {
  readonly temporal: TemporalClient;
  readonly namespace: string;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Milliseconds: a try, the wait after a failed one, and between two looks whether everything is still there. */
const times = { attempt: 10_000, again: 2_000, look: 60_000 } as const;

/**
 * Registers the search attributes and the sweep's Schedule as soon as Temporal answers, sweeps once, and looks every
 * minute whether they are there: a Temporal that came back empty gets them again.
 */
export async function keepTemporalPrepared(options: PreparingOptions): Promise<void> {
  const { temporal, logger, signal } = options;
  let swept = false;
  while (!signal.aborted) {
    let wait: number = times.again;
    try {
      const connection = temporal.client().connection;
      await connection.withDeadline(Date.now() + times.attempt, async () => {
        const known = await registerSearchAttributes(options);
        const scheduled = await putSchedule(temporal.client(), known);
        if (scheduled && !swept)
          await temporal.client().schedule.getHandle(sweepSchedule.scheduleId).trigger();
      });
      swept = true;
      wait = times.look;
    } catch (error) {
      logger.debug(
        { reason: error instanceof Error ? error.message : String(error) },
        'Temporal setup failed',
      );
    }
    await pause(wait, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Registers the search attributes and answers the names of those that the namespace has. A server that does not let workers
 * register them gets them from its operator; until then workflows start without.
 */
async function registerSearchAttributes({
  temporal,
  namespace,
  logger,
}: PreparingOptions): Promise<ReadonlySet<string>> {
  const wanted = Object.values(searchAttributes);
  try {
    await addKeywords(temporal.client(), wanted);
    return new Set(wanted);
  } catch (error) {
    if (!isRefused(error)) throw error;
  }
  const known = await registeredAttributes(temporal, namespace);
  const missing = wanted.filter((name) => !known.has(name));
  if (missing.length > 0) logger.warn({ missing }, 'search attributes missing');
  return known;
}

async function registeredAttributes(
  temporal: TemporalClient,
  namespace: string,
): Promise<ReadonlySet<string>> {
  try {
    const listed = await temporal.client().connection.operatorService?.listSearchAttributes({ namespace });
    return new Set(Object.keys(listed?.customAttributes ?? {}));
  } catch (error) {
    if (!isRefused(error)) throw error;
    return new Set();
  }
}

/** Of gRPC: INVALID_ARGUMENT (no room for another one), PERMISSION_DENIED, UNIMPLEMENTED. */
const isRefused = (error: unknown): boolean => [3, 7, 12].includes((error as { code?: number }).code ?? 0);

/** Whether a call failed with UNIMPLEMENTED of gRPC, also where the client has wrapped it. */
function isUnimplemented(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return code === 12 || isUnimplemented(cause);
}

/** False on a server without Schedules, which the time-skipping test server is. */
async function putSchedule(client: Client, known: ReadonlySet<string>): Promise<boolean> {
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
      // A sweep whose worker died must not keep the next one from running for long.
      workflowExecutionTimeout: '5 minutes',
    },
  };
  try {
    await client.schedule.create({ scheduleId: sweepSchedule.scheduleId, ...definition });
  } catch (error) {
    if (isUnimplemented(error)) return false;
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule
      .getHandle(sweepSchedule.scheduleId)
      .update(({ state }) => ({ ...definition, state }));
  }
  return true;
}
