import type { EntityManager } from '../../platform/database/orm.ts';
import { cancelDeletion } from '../deletion/end-deletion.ts';
import type { ReceiptSigner } from '../deletion/receipt.ts';
import { failedPrecondition } from '../errors.ts';
import { messages } from '../messages.ts';
import { failMigrations, migrationErrors } from '../migrations/fail-migrations.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { deletionKind, migrationKind } from '../jobs/job-kinds.ts';
import { readJob, type JobRow } from '../jobs/read-jobs.ts';

/**
 * Fails a job with `cancelled`: a pending migration, or a user data deletion before it is verified. A cascade cannot be
 * canceled: its resources are deleted already. Throws FAILED_PRECONDITION for a job that cannot be canceled, and NOT_FOUND.
 */
export async function cancelJob(
  em: EntityManager,
  signer: ReceiptSigner,
  tenant: Tenant,
  jobId: string,
): Promise<JobRow> {
  const job = await readJob(em, tenant, jobId);
  if (!(await cancel(em, signer, tenant, job))) throw failedPrecondition(messages.jobNotCancellable);
  await em.flush();
  return readJob(em, tenant, jobId);
}

async function cancel(
  em: EntityManager,
  signer: ReceiptSigner,
  tenant: Tenant,
  job: JobRow,
): Promise<boolean> {
  switch (job.kind) {
    case migrationKind.number: {
      const migration = { jobs: [job.id], from: ['pending'], error: migrationErrors.cancelled } as const;
      return (await failMigrations(em, tenant.id, migration)) === 1;
    }
    case deletionKind.number:
      return cancelDeletion(em, signer, { jobId: job.id, tenantId: tenant.id });
    default:
      return false;
  }
}
