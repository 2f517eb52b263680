import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { sha256 } from '../../platform/encryption/tokens.ts';
import { tablesOf } from '../tables.ts';
import type { ApiKeyType } from './api-key.entity.ts';
import { apiKeyContext } from './api-key-context.ts';

/** An API key of a workspace's list; `apiKey` in plain text. */
export interface ListedKey {
  /** Surrogate key. */
  readonly id: string;
  readonly apiKey: string;
  readonly apiKeyName: string;
  readonly type: ApiKeyType;
  /** Public id, `akid_…`. */
  readonly keyId: string;
  readonly enabled: boolean;
}

/** Lists keys in order of creation, after the surrogate key `after`. */
export async function listApiKeys(
  em: EntityManager,
  keyRing: KeyRing,
  workspaceId: string,
  {
    apiKeys,
    after,
    limit,
  }: { apiKeys?: readonly string[] | undefined; after?: string | undefined; limit: number },
): Promise<ListedKey[]> {
  const page = tablesOf(em)
    .selectFrom('api_key')
    .select([
      'id',
      'key_hash',
      'key_enc',
      'name',
      'type',
      'public_id',
      'disabled_at',
      'workspace_disabled_at',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .where('id', '>', after ?? '0')
    .orderBy('id')
    .limit(limit);
  const hashes = apiKeys?.map(sha256);
  const found = await (hashes ? page.where('key_hash', '=', sql<Buffer>`any(${hashes})`) : page).execute();
  return found.map((key) => ({
    id: key.id,
    apiKey: keyRing.decrypt(key.key_enc, apiKeyContext(key.key_hash, workspaceId)),
    apiKeyName: key.name,
    type: key.type,
    keyId: key.public_id,
    enabled: key.disabled_at === null && key.workspace_disabled_at === null,
  }));
}
