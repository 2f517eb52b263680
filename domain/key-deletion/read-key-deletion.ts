import type { EntityManager } from '../../platform/database/orm.ts';
import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';

/** The deletion of a key. `status` and `progress` are the job's, null once the job is no longer kept. */
export type KeyDeletionDetails = Awaited<ReturnType<typeof readKeyDeletion>>;

/** Reads a deletion by its job, of one workspace or of any. Throws NOT_FOUND. */
export async function readKeyDeletion(em: EntityManager, jobId: string, workspace?: { readonly id: string }) {
  const deletions = tablesOf(em)
    .selectFrom('key_deletion as d')
    .leftJoin('job as j', 'j.id', 'd.job_id')
    .select(['d.public_id as jobId', 'd.key_id as keyId', 'd.requested_at as requestedAt'])
    .select(['d.verified_at as verifiedAt', 'd.removed_rows as removedRows', 'd.jws as receipt'])
    .select(['j.status', 'j.progress'])
    .where('d.public_id', '=', jobId);
  const found = await (
    workspace === undefined ? deletions : deletions.where('d.workspace_id', '=', workspace.id)
  ).executeTakeFirst();
  if (found === undefined) throw notFound(messages.jobMissing);
  return found;
}
