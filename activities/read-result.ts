import { readJobResult } from '../domain/jobs/job-result.ts';
import type { JobInput, JobResult } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * The final figures of a migration or a deletion that has ended; null for a job that has not, or is gone.
 * May be repeated: it reads.
 */
export const readResult =
  ({ orm }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<JobResult | null> =>
    (await readJobResult(orm.em.fork(), jobId)) ?? null;
