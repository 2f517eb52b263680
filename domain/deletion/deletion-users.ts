import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { AadContext, KeyRing } from '../../platform/encryption/key-ring.ts';
import { tablesOf } from '../tables.ts';

/** The AAD context of an encrypted column of an ended deletion. */
export const deletionContext = (
  column: 'jws_enc' | 'users_enc',
  { jobId, tenantId }: DeletionKey,
): AadContext => ({ table: 'user_data_deletion', column, row: jobId, tenant: tenantId });

/** Surrogate keys. */
export interface DeletionKey {
  readonly jobId: string;
  readonly tenantId: string;
}

/** SQL: the ids of the users of a deletion, max 1,000. Empty once it has ended. */
export const openUserIds = ({ jobId, tenantId }: DeletionKey) => sql<string[]>`array(
  select u.user_ext_id from user_deletion u
  where u.job_id = ${jobId} and u.api_key_id = ${tenantId} and u.user_ext_id is not null
  order by u.user_ext_id limit 1000)`;

/** Returns the users of a deletion that has not ended, max 1,000. */
export async function readDeletionUsers(em: EntityManager, key: DeletionKey): Promise<string[]> {
  const ids = openUserIds(key).as('ids');
  return (await tablesOf(em).selectNoFrom(ids).executeTakeFirstOrThrow()).ids;
}

export const sealUsers = (keyRing: KeyRing, key: DeletionKey, userIds: readonly string[]): Buffer =>
  keyRing.encrypt(JSON.stringify(userIds), deletionContext('users_enc', key));

export const openUsers = (keyRing: KeyRing, key: DeletionKey, sealed: Buffer): string[] =>
  JSON.parse(keyRing.decrypt(sealed, deletionContext('users_enc', key))) as string[];
