import { patched, upsertMemo } from '@temporalio/workflow';
import { databaseQueue, type JobInput, type JobResult } from './contract.ts';
import { steps, untilItWorks } from './steps.ts';

const { readResult } = steps(
  { ...untilItWorks, taskQueue: databaseQueue, priority: { priorityKey: 3 } },
  { readResult: 'Read the final figures' },
);

/** Shows the final figures of a job that has ended as the memo `result`; answers them, undefined where there are none. */
export async function showResult(job: JobInput): Promise<JobResult | undefined> {
  if (!patched('result')) return undefined;
  const result = await readResult(job);
  if (result === null) return undefined;
  upsertMemo({ result });
  return result;
}
