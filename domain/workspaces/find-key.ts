import type { EntityManager } from '../../platform/database/orm.ts';
import { sha256 } from '../../platform/encryption/tokens.ts';
import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import { ApiKey } from './api-key.entity.ts';

/** A key of another workspace does not exist, like one that never was. */
export async function findKey(em: EntityManager, workspaceId: string, apiKey: string): Promise<ApiKey> {
  const found = await em.findOne(ApiKey, { keyHash: sha256(apiKey), workspaceId: workspaceId });
  if (found === null) throw notFound(messages.apiKeyMissing);
  return found;
}
