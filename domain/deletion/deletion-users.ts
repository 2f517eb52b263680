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

/** Returns the users of a deletion that has not ended, max 1,000. */
export async function usersOf(em: EntityManager, { jobId, tenantId }: DeletionKey): Promise<string[]> {
  const users = await tablesOf(em)
    .selectFrom('user_deletion')
    .select('user_ext_id')
    .where('job_id', '=', jobId)
    .where('api_key_id', '=', tenantId)
    .where('user_ext_id', 'is not', null)
    .orderBy('user_ext_id')
    .limit(sql.lit(1000))
    .$narrowType<{ user_ext_id: string }>()
    .execute();
  return users.map(({ user_ext_id }) => user_ext_id);
}

export const sealUsers = (keyRing: KeyRing, key: DeletionKey, userIds: readonly string[]): Buffer =>
  keyRing.encrypt(JSON.stringify(userIds), deletionContext('users_enc', key));

export const openUsers = (keyRing: KeyRing, key: DeletionKey, sealed: Buffer): string[] =>
  JSON.parse(keyRing.decrypt(sealed, deletionContext('users_enc', key))) as string[];
