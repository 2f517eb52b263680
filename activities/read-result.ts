import { readJobResult, type JobResult } from '../domain/jobs/job-result.ts';
import type { JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Returns the result of an ended migration or deletion; null when the job has not ended or its row is gone.
 * May be repeated: it only reads.
 */
export const readResult =
  ({ orm }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<JobResult | null> =>
    (await readJobResult(orm.em.fork(), jobId)) ?? null;
