import type { EntityManager } from '../../platform/database/orm.ts';
import { sha256 } from '../../platform/encryption/tokens.ts';
import { lockKeyRow } from './lock-key.ts';
import { defaultKeyName } from './create-api-key.ts';

/** Returns the former name; null for the default name, which contains the owner's. */
export async function renameApiKey(
  em: EntityManager,
  workspaceId: string,
  { apiKey, apiKeyName }: { readonly apiKey: string; readonly apiKeyName: string },
): Promise<{ readonly before: string | null }> {
  const found = await lockKeyRow(em, { workspace_id: workspaceId, key_hash: sha256(apiKey) });
  const before = found.name === defaultKeyName(found) ? null : found.name;
  found.name = apiKeyName;
  return { before };
}
