import type { EntityManager } from '../../platform/database/orm.ts';
import { failedPrecondition } from '../errors.ts';
import { messages } from '../messages.ts';
import { failMigrations, migrationErrors } from '../migrations/fail-migrations.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { jobKindName } from './job.entity.ts';
import { readJob, type JobRow } from './read-jobs.ts';

/**
 * Ends a job as failed, `cancelled`: a migration while it is pending, a cascade never, because what it removes is gone
 * already. Throws FAILED_PRECONDITION for a job that has gone too far, and NOT_FOUND.
 */
export async function cancelJob(em: EntityManager, tenant: Tenant, jobId: string): Promise<JobRow> {
  const job = await readJob(em, tenant, jobId);
  const cancelled =
    jobKindName(job.kind) === 'document-migration' &&
    (await failMigrations(em, tenant.id, {
      jobs: [job.id],
      from: ['pending'],
      error: migrationErrors.cancelled,
    })) === 1;
  if (!cancelled) throw failedPrecondition(messages.jobNotCancellable);
  return readJob(em, tenant, jobId);
}
