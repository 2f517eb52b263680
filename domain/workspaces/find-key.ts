import type { EntityManager } from '../../platform/database/orm.ts';
import { sha256 } from '../../platform/encryption/tokens.ts';
import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';

/** An API key by its surrogate key and by its public id (`akid_…`). */
export interface KeyIds {
  readonly tenantId: string;
  readonly keyId: string;
}

/** Selects a key. `workspaceId`, a surrogate key: a key of another workspace is not found. */
export type KeySelector =
  | Pick<KeyIds, 'tenantId'>
  | (Pick<KeyIds, 'keyId'> & { readonly workspaceId?: string })
  | { readonly apiKey: string; readonly workspaceId: string };

/** Finds a key; undefined for an unknown or deleted key. */
export async function findKey(em: EntityManager, by: KeySelector): Promise<KeyIds | undefined> {
  const keys = tablesOf(em)
    .selectFrom('api_key')
    .select(['id as tenantId', 'public_id as keyId'])
    .where('deleted_at', 'is', null);
  const inWorkspace =
    'workspaceId' in by && by.workspaceId !== undefined
      ? keys.where('workspace_id', '=', by.workspaceId)
      : keys;
  if ('apiKey' in by) return inWorkspace.where('key_hash', '=', sha256(by.apiKey)).executeTakeFirst();
  return (
    'keyId' in by ? inWorkspace.where('public_id', '=', by.keyId) : inWorkspace.where('id', '=', by.tenantId)
  ).executeTakeFirst();
}

/** Like `findKey`. Throws NOT_FOUND for an unknown or deleted key. */
export async function requireKey(em: EntityManager, by: KeySelector): Promise<KeyIds> {
  const found = await findKey(em, by);
  if (found === undefined) throw notFound(messages.apiKeyMissing);
  return found;
}

/** Finds the public id of a key by its surrogate key, also of a deleted key; null once its row is removed. */
export async function findAnyKeyId(em: EntityManager, tenantId: string): Promise<string | null> {
  const found = await tablesOf(em)
    .selectFrom('api_key')
    .select('public_id as keyId')
    .where('id', '=', tenantId)
    .executeTakeFirst();
  return found?.keyId ?? null;
}
