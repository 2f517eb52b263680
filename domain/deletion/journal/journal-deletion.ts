import { sql } from 'kysely';
import type { EntityManager, Orm } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import type { Job } from '../../jobs/job.entity.ts';
import { tablesOf } from '../../tables.ts';
import type { ActiveDeletion } from '../active-deletion.ts';
import { openUserIds, openUsers } from '../deletion-users.ts';
import type { ReceiptSigner } from '../receipt.ts';
import { databaseIncarnation } from './database-incarnation.ts';
import type { DeletionJournal } from './deletion-journal.ts';
import { copyReceiptKeys } from './receipt-keys.ts';

/** The dependencies that complete a deletion. `journal` is undefined where none is configured. */
export interface Completion extends ReceiptSigner {
  readonly journal: DeletionJournal | undefined;
}

/**
 * Appends a verified deletion to the journal, before it is completed, and records that. Does nothing without a journal
 * or before the verification. May be repeated: entries with one job count once. Throws JournalUnavailable.
 */
export async function journalDeletion(
  { em }: Orm,
  { keyRing, journal }: Completion,
  { jobId, tenantId, publicId, keyId }: Pick<ActiveDeletion, 'jobId' | 'tenantId' | 'publicId' | 'keyId'>,
): Promise<void> {
  if (journal === undefined) return;
  const key = { jobId, tenantId };
  // One statement: another attempt may end the deletion meanwhile, which then keeps its userIds only in encrypted form.
  const found = await tablesOf(em)
    .selectFrom('user_data_deletion')
    .select(['organization_ids', 'users_enc', openUserIds(key).as('user_ids')])
    .where('job_id', '=', jobId)
    .where('verified_at', 'is not', null)
    .executeTakeFirst();
  if (found === undefined) return;
  const userIds = found.users_enc === null ? found.user_ids : openUsers(keyRing, key, found.users_enc);
  // The userIds have expired: an entry without them would delete nobody, and could replace a complete one.
  if (found.users_enc === null && userIds.length === 0) return;
  const organizationIds = found.organization_ids;
  const shared = await sharedMembers(em, keyRing);
  await journal.append({ ...shared, kind: 'users', keyId, jobId: publicId, userIds, organizationIds });
  await tablesOf(em)
    .updateTable('user_data_deletion')
    .set({ journaled_at: sql`now()` })
    .where('job_id', '=', jobId)
    .execute();
}

/** Appends the deletion of an API key. Returns false without a journal. May be repeated. Throws JournalUnavailable. */
export async function journalKeyDeletion(
  { em }: Orm,
  { keyRing, journal }: Completion,
  { keyId, publicId: jobId }: Pick<Job, 'publicId'> & { readonly keyId: string },
): Promise<boolean> {
  if (journal === undefined) return false;
  await journal.append({ ...(await sharedMembers(em, keyRing)), kind: 'key', keyId, jobId });
  return true;
}

const sharedMembers = async (em: EntityManager, keyRing: KeyRing) => ({
  v: 1 as const,
  at: Date.now(),
  database: (await databaseIncarnation(em)) ?? '',
  signingKeys: await copyReceiptKeys(em, keyRing),
});
