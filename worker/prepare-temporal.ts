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
import type { TemporalClient } from '../platform/temporal/temporal-client.ts';
import { searchAttributes, sweepSchedule, workflowQueue } from '../workflows/contract.ts';

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
        await registerSearchAttributes(options);
        await putSchedule(temporal.client());
        if (!swept) await temporal.client().schedule.getHandle(sweepSchedule.scheduleId).trigger();
      });
      swept = true;
      wait = times.look;
    } catch (error) {
      logger.debug(
        { reason: error instanceof Error ? error.message : String(error) },
        'Temporal not prepared',
      );
    }
    await pause(wait, undefined, { signal }).catch(() => undefined);
  }
}

const keyword = 2;

/** A server that does not let workers register them has them from its operator; then starting a workflow says what is missing. */
async function registerSearchAttributes({ temporal, namespace, logger }: PreparingOptions): Promise<void> {
  try {
    await temporal.client().connection.operatorService?.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(Object.values(searchAttributes).map((name) => [name, keyword])),
    });
  } catch (error) {
    const denied = 7;
    const unimplemented = 12;
    const { code } = error as { code?: number };
    if (code !== denied && code !== unimplemented) throw error;
    logger.warn({ searchAttributes }, 'search attributes must be registered by the operator of Temporal');
  }
}

async function putSchedule(client: Client): Promise<void> {
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
      // A sweep whose worker died must not keep the next one from running for long.
      workflowExecutionTimeout: '5 minutes',
    },
  };
  try {
    await client.schedule.create({ scheduleId: sweepSchedule.scheduleId, ...definition });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule
      .getHandle(sweepSchedule.scheduleId)
      .update(({ state }) => ({ ...definition, state }));
  }
}
