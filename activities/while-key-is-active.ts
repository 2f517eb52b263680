import { isStopped } from '../domain/jobs/stopped-jobs.ts';
import type { JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Runs a step of a job only while the API key is active. For a disabled key it returns `stopped`: the workflow ends and
 * the job stays open. Enabling the key starts the workflow again. A step of an ended job runs: nothing would start its
 * workflow again.
 */
export const whileKeyIsActive =
  <Result, Input extends JobInput>(
    { orm }: Pick<Dependencies, 'orm'>,
    stopped: Result,
    activity: (input: Input) => Promise<Result>,
  ): ((input: Input) => Promise<Result>) =>
  async (input) =>
    (await isStopped(orm.em.fork(), input.jobId)) ? stopped : activity(input);
