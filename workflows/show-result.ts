import { patched, upsertMemo } from '@temporalio/workflow';
import type { JobResult } from '../domain/jobs/job-result.ts';
import { databaseQueue, type JobInput } from './contract.ts';
import { steps, retryForADay } from './steps.ts';

const { readResult } = steps(
  { ...retryForADay, taskQueue: databaseQueue, priority: { priorityKey: 3 } },
  { readResult: 'Read the result of the job' },
);

/** Returns the result of an ended job and shows it as the memo `result`; undefined where there is none. */
export async function showResult(job: JobInput): Promise<JobResult | undefined> {
  if (!patched('result')) return undefined;
  const result = await readResult(job);
  if (result === null) return undefined;
  upsertMemo({ result });
  return result;
}
