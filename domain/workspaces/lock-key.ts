import type { EntityManager } from '../../platform/database/orm.ts';
import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import { ApiKey } from './api-key.entity.ts';

/** Columns that identify a key. */
export type KeyColumns =
  | { readonly id: string }
  | { readonly public_id: string }
  | { readonly workspace_id: string; readonly key_hash: Buffer };

/**
 * Finds a key that is not deleted, and locks it until the end of the transaction. Throws NOT_FOUND. The lock is NO KEY
 * UPDATE: calls insert rows that reference the key, and a stronger lock would wait for such calls without end.
 */
export async function lockKeyRow(em: EntityManager, columns: KeyColumns): Promise<ApiKey> {
  const row = await tablesOf(em)
    .selectFrom('api_key')
    .selectAll()
    .where((key) => key.and({ ...columns }))
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (row === undefined) throw notFound(messages.apiKeyMissing);
  return em.map(ApiKey, row);
}
