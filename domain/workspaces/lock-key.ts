import type { EntityManager } from '../../platform/database/orm.ts';
import { sha256 } from '../../platform/encryption/tokens.ts';
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

/** A key as its caller names it: operators use the public id, workspaces the key itself. */
export type KeyRef =
  { readonly keyId: string } | { readonly workspace: { readonly id: string }; readonly apiKey: string };

/** `lockKeyRow` for the key of a call. */
export const lockKey = async (em: EntityManager, key: KeyRef): Promise<ApiKey> =>
  lockKeyRow(
    em,
    'apiKey' in key
      ? { workspace_id: key.workspace.id, key_hash: sha256(key.apiKey) }
      : { public_id: key.keyId },
  );
