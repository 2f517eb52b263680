import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import { jobStatusNumbers } from './job.entity.ts';

/** A job as its activities work with it. The tenant comes from the row: an argument is never trusted alone. */
export interface WorkedJob {
  readonly id: string;
  readonly publicId: string;
  readonly tenantId: string;
  readonly kind: number;
  readonly status: number;
  readonly request: unknown;
}

/** The columns that name a job's row. */
export const identity = ({ id, tenantId }: WorkedJob) => ({ id, api_key_id: tenantId });

/** Undefined for a job that is not there (any more). */
export async function findJob(em: EntityManager, jobId: string): Promise<WorkedJob | undefined> {
  return tablesOf(em)
    .selectFrom('job')
    .select(['id', 'public_id as publicId', 'api_key_id as tenantId', 'kind', 'status', 'request'])
    .where('public_id', '=', jobId)
    .executeTakeFirst();
}

/** Takes a pending job in hand. Says whether there is work: also when it was taken before and has not ended. */
export async function beginJob(em: EntityManager, job: WorkedJob): Promise<boolean> {
  if (job.status !== jobStatusNumbers.pending) return job.status === jobStatusNumbers.in_progress;
  const { numUpdatedRows } = await tablesOf(em)
    .updateTable('job')
    .set({ status: jobStatusNumbers.in_progress, started_at: sql`now()` })
    .where((row) => row.and({ ...identity(job), status: jobStatusNumbers.pending }))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0) return true;
  const present = await findJob(em, job.publicId);
  return present?.status === jobStatusNumbers.in_progress;
}
