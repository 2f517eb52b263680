import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { jobEnded, type Job } from '../../testing/job-progress.ts';

const never = async (): Promise<never> => new Promise(() => undefined);

const noWorkflow = async (): Promise<never> => {
  throw new WorkflowNotFoundError('Not found.', 'job', undefined);
};

/** Servers whose job and workflow are in these states. A read of the job takes `readMs`. */
function servers(completedAt: number | null, result: () => Promise<never>, readMs = 0) {
  const job = { jobId: 'job_1', workflowId: 'job', status: 'in_progress', completedAt };
  const workflow = { getHandle: () => ({ result, describe: noWorkflow }), execute: never };
  const connection = { withAbortSignal: async (_: AbortSignal, act: () => Promise<unknown>) => act() };
  const get = async () => {
    await pause(readMs);
    return { data: job as unknown as Job };
  };
  return {
    temporal: { client: { workflow }, connection } as unknown as TestWorkflowEnvironment,
    steward: { jobs: { get } } as unknown as Parameters<typeof jobEnded>[0]['steward'],
  };
}

describe('the wait for a job', () => {
  it('returns a job that has ended although its time is over', async () => {
    const job = await jobEnded(servers(1, never, 100), 'job_1', { withinMs: 10 });
    expect(job).toMatchObject({ completedAt: 1 });
  });

  it('ends in time while neither the workflow nor the sweep ends', async () => {
    const problem = 'The job job_1 has not ended within 100 ms';
    for (const result of [never, noWorkflow])
      await expect(jobEnded(servers(null, result), 'job_1', { withinMs: 100 })).rejects.toThrow(problem);
  });
});
