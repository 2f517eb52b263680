import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { tablesOf } from '../tables.ts';
import { apiKeyContext } from './api-key-context.ts';

/** Returns the key in plain text, by its surrogate key. */
export async function readApiKey(em: EntityManager, keyRing: KeyRing, apiKeyId: string): Promise<string> {
  const found = await tablesOf(em)
    .selectFrom('api_key')
    .select(['key_hash', 'key_enc', 'workspace_id'])
    .where('id', '=', apiKeyId)
    .executeTakeFirst();
  if (found === undefined) throw new Error('missing row for the API key of a deletion');
  return keyRing.decrypt(found.key_enc, apiKeyContext(found.key_hash, found.workspace_id));
}

/** Returns the e-mail address of the key's owner. */
export async function apiKeyOwner(em: EntityManager, apiKeyId: string): Promise<string> {
  const found = await tablesOf(em)
    .selectFrom('api_key')
    .select('owner_email')
    .where('id', '=', apiKeyId)
    .executeTakeFirst();
  if (found === undefined) throw new Error('missing row for authenticated API key');
  return found.owner_email;
}
