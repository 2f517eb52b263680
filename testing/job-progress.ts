import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { ApiKeyClient, Job } from '../packages/client/source/steward.ts';
import { workflowQueue } from '../workflows/contract.ts';
import { sweepSchedule } from '../workflows/starts.ts';

/** A job as `jobs.get` returns it. */
export type { Job };

export interface JobOptions {
  /** Real time; default 60,000. */
  readonly withinMs?: number;
}

interface Servers {
  readonly temporal: TestWorkflowEnvironment;
  readonly steward: ApiKeyClient;
}

/** Runs the sweep once. It starts the workflows of jobs that have waited for their start for 10 s or longer. */
export async function sweepOnce({ client }: TestWorkflowEnvironment): Promise<void> {
  await client.workflow.execute(sweepSchedule.workflowType, {
    workflowId: `${sweepSchedule.workflowId}/${randomUUID()}`,
    taskQueue: workflowQueue,
    args: [],
  });
}

const pollIntervalMs = 100;

/**
 * Waits until a job and its workflow have ended, skipping time where the server can, and returns the job. Throws the
 * workflow's failure, or after `withinMs` an error that describes the pending activities.
 */
export async function jobEnded(
  { temporal, steward }: Servers,
  jobId: string,
  { withinMs = 60_000 }: JobOptions = {},
): Promise<Job> {
  const signal = AbortSignal.timeout(withinMs);
  for (;;) {
    const { data: known } = await steward.jobs.get({ jobId });
    const found = await workflowEnded(temporal, known.workflowId, signal);
    const { data: job } = await steward.jobs.get({ jobId });
    if (job.completedAt !== null) return job;
    if (signal.aborted) throw new Error(await whereItIsStuck(temporal, job, withinMs));
    if (!found) await untilAborted(temporal, signal, async () => sweepOnce(temporal));
    await pause(pollIntervalMs);
  }
}

/** Waits for a workflow until `signal` aborts. Returns false when it does not exist. Throws its failure. */
async function workflowEnded(
  temporal: TestWorkflowEnvironment,
  workflowId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { client } = temporal;
  try {
    await untilAborted(temporal, signal, async () => client.workflow.getHandle(workflowId).result());
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    if (signal.aborted) return true;
    throw error;
  }
}

/** Waits for `act` until `signal` aborts. Connections do not cancel calls that begin under an aborted signal. */
async function untilAborted(
  { connection }: TestWorkflowEnvironment,
  signal: AbortSignal,
  act: () => Promise<unknown>,
): Promise<void> {
  if (signal.aborted) return;
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const abort = (): void => resolve();
  signal.addEventListener('abort', abort);
  try {
    await Promise.race([connection.withAbortSignal(signal, act), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function whereItIsStuck(
  { client }: TestWorkflowEnvironment,
  { jobId, status, workflowId }: Job,
  withinMs: number,
): Promise<string> {
  const problem = `The job ${jobId} has not ended within ${String(withinMs)} ms: its status is ${status}`;
  try {
    const { status: workflow, raw } = await client.workflow.getHandle(workflowId).describe();
    const pending = (raw.pendingActivities ?? []).map(
      ({ activityType, attempt, lastFailure }) =>
        `${activityType?.name ?? 'an activity'}, attempt ${String(attempt)}${lastFailure?.message ? `: ${lastFailure.message}` : ''}`,
    );
    return `${problem}, its workflow ${workflowId} is ${workflow.name}; pending activities: ${pending.join('; ') || 'none'}.`;
  } catch {
    return `${problem}, its workflow ${workflowId} was not found.`;
  }
}
