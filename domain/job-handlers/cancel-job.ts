import type { EntityManager } from '../../platform/database/orm.ts';
import { cancelDeletion } from '../deletion/end-deletion.ts';
import type { ReceiptSigner } from '../deletion/receipt.ts';
import { failedPrecondition } from '../errors.ts';
import { messages } from '../messages.ts';
import { failMigrations } from '../migrations/fail-migrations.ts';
import { deletionKind, migrationKind } from '../jobs/job-kinds.ts';
import { cancelledError } from '../jobs/job.entity.ts';
import type { JobOwner, JobRow } from '../jobs/read-jobs.ts';
import { readJob } from './read-job.ts';

interface CancelOptions {
  readonly owner: JobOwner;
  /** True: canceling a canceled job has no effect. False: it throws FAILED_PRECONDITION. */
  readonly isRepeatable: boolean;
}

/**
 * Fails a job with `cancelled`: a pending migration, or a user data deletion whose verification has not begun. A cascade
 * cannot be canceled: its resources are already deleted. Throws FAILED_PRECONDITION for a job that cannot be canceled, and
 * NOT_FOUND.
 */
export async function cancelJob(
  em: EntityManager,
  signer: ReceiptSigner,
  jobId: string,
  { owner, isRepeatable }: CancelOptions,
): Promise<JobRow> {
  const canceled = await cancel(em, signer, await readJob(em, owner, jobId));
  await em.flush();
  const job = await readJob(em, owner, jobId);
  const isRepeated = isRepeatable && job.error === cancelledError;
  if (!canceled && !isRepeated) throw failedPrecondition(messages.jobNotCancellable);
  return job;
}

async function cancel(em: EntityManager, signer: ReceiptSigner, job: JobRow): Promise<boolean> {
  switch (job.kind) {
    case migrationKind.number: {
      const migration = { jobs: [job.id], from: ['pending'], error: cancelledError } as const;
      return (await failMigrations(em, job.api_key_id, migration)) === 1;
    }
    case deletionKind.number:
      return cancelDeletion(em, signer, { jobId: job.id, tenantId: job.api_key_id });
    default:
      return false;
  }
}
