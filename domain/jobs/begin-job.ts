import type { EntityManager } from '../../platform/database/orm.ts';
import { row } from '../../platform/database/sql.ts';
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

/** Undefined for a job that is not there (any more). */
export async function findJob(em: EntityManager, jobId: string): Promise<WorkedJob | undefined> {
  return row<WorkedJob>(
    em,
    `select id, public_id as "publicId", api_key_id as "tenantId", kind, status, request from job where public_id = $1`,
    [jobId],
  );
}

/** Takes a pending job in hand. Says whether there is work: also when it was taken before and has not ended. */
export async function beginJob(em: EntityManager, job: WorkedJob): Promise<boolean> {
  if (job.status !== jobStatusNumbers.pending) return job.status === jobStatusNumbers.in_progress;
  const begun = await row<{ status: number }>(
    em,
    `update job set status = $3, started_at = now() where id = $1 and api_key_id = $2 and status = $4 returning status`,
    [job.id, job.tenantId, jobStatusNumbers.in_progress, jobStatusNumbers.pending],
  );
  if (begun !== undefined) return true;
  const present = await findJob(em, job.publicId);
  return present?.status === jobStatusNumbers.in_progress;
}
