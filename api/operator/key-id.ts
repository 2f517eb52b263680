import { findKeyIds, type KeyIds } from '../../domain/workspaces/key-ids.ts';
import { notFound } from '../../domain/errors.ts';
import { messages } from '../../domain/messages.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { text } from '../schemas.ts';

export const keyId = text(200)
  .min(1)
  .describe('Public id of an API key (`akid_…`), never the key itself. Max 200 characters.');

/** Both ids of a key. Throws NOT_FOUND. */
export async function requireKey(em: EntityManager, id: string): Promise<KeyIds> {
  const key = await findKeyIds(em, { keyId: id });
  if (key === undefined) throw notFound(messages.apiKeyMissing);
  return key;
}
