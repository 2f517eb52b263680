import { sql } from 'kysely';
import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { journalKeyDeletion, type Completion } from '../deletion/journal/journal-deletion.ts';
import { lockJob } from '../jobs/find-job.ts';
import { jobStatusNumbers, type Job } from '../jobs/job.entity.ts';
import { signAs } from '../signing/sign-token.ts';
import { currentTokenKey } from '../signing/token-keys.ts';
import { tablesOf } from '../tables.ts';
import { apiKeyContext } from '../workspaces/api-key-context.ts';

/** The `typ` of a receipt's JWS, so that no other token passes as a receipt. */
const keyReceiptType = 'key-deletion-receipt+jws';

/**
 * Signs the receipt, clears the key's own row and completes the job, in one transaction, after the deletion is in the
 * journal. The row keeps only ids and stays as long as the job.
 */
export async function concludeKeyDeletion(
  orm: Orm,
  { id, publicId }: Job,
  completion: Completion,
): Promise<void> {
  const { keyRing, issuer } = completion;
  const { key_id: keyId } = await tablesOf(orm.em)
    .selectFrom('key_deletion')
    .select('key_id')
    .where('job_id', '=', id)
    .executeTakeFirstOrThrow();
  const journaled = await journalKeyDeletion(orm, completion, { keyId, publicId });
  await inTransaction(orm, async (em) => {
    const job = await lockJob(em, publicId);
    if (job?.status !== jobStatusNumbers.in_progress) return;
    const rows = job.progress?.done ?? 0;
    const deletion = await tablesOf(em)
      .updateTable('key_deletion as d')
      .from('workspace as w')
      .set({
        verified_at: sql`now()`,
        removed_rows: String(rows),
        ...(journaled && { journaled_at: sql`now()` }),
      })
      .whereRef('w.id', '=', 'd.workspace_id')
      .where('d.job_id', '=', job.id)
      .returning(['w.public_id as aud', 'd.key_id as sub', 'd.requested_at', 'd.verified_at'])
      .executeTakeFirstOrThrow();
    const { aud, sub, requested_at: requestedAt, verified_at: verifiedAt } = deletion;
    const key = await currentTokenKey(em, keyRing, 'receipt');
    const times = { requestedAt: requestedAt.getTime(), verifiedAt: verifiedAt?.getTime() ?? null };
    const claims = { iss: issuer, aud, sub, jobId: publicId, rows, ...times };
    await tablesOf(em)
      .updateTable('key_deletion')
      .set({ jws: await signAs(keyReceiptType, key, claims) })
      .where('job_id', '=', job.id)
      .execute();
    await emptyKey(em, keyRing, job.apiKeyId);
    job.complete();
  });
}

async function emptyKey(em: EntityManager, keyRing: KeyRing, id: string): Promise<void> {
  const keys = tablesOf(em);
  const { key_hash, workspace_id } = await keys
    .selectFrom('api_key')
    .select(['key_hash', 'workspace_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const empty = keyRing.encrypt('', apiKeyContext(key_hash, workspace_id));
  await keys
    .updateTable('api_key')
    .set({ key_enc: empty, name: '', owner_email: '', allowed_domains: sql`'{}'` })
    .where('id', '=', id)
    .execute();
}
