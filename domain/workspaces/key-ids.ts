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

/** Finds a key by either id; undefined for an unknown or deleted key. */
export async function findKeyIds(
  em: EntityManager,
  known: Pick<KeyIds, 'tenantId'> | Pick<KeyIds, 'keyId'>,
  workspaceId?: string,
): Promise<KeyIds | undefined> {
  const keys = tablesOf(em)
    .selectFrom('api_key')
    .select(['id as tenantId', 'public_id as keyId'])
    .where('deleted_at', 'is', null);
  const inWorkspace = workspaceId === undefined ? keys : keys.where('workspace_id', '=', workspaceId);
  return (
    'keyId' in known
      ? inWorkspace.where('public_id', '=', known.keyId)
      : inWorkspace.where('id', '=', known.tenantId)
  ).executeTakeFirst();
}

/** The public id of a key by its surrogate key, also of a deleted key; null once its row is removed. */
export async function findAnyKeyId(em: EntityManager, tenantId: string): Promise<string | null> {
  const found = await tablesOf(em)
    .selectFrom('api_key')
    .select('public_id as keyId')
    .where('id', '=', tenantId)
    .executeTakeFirst();
  return found?.keyId ?? null;
}

/** Finds a key by its public id. Throws NOT_FOUND, also for a key of another workspace than the one given. */
export async function requireKey(em: EntityManager, keyId: string, workspaceId?: string): Promise<KeyIds> {
  const found = await findKeyIds(em, { keyId }, workspaceId);
  if (found === undefined) throw notFound(messages.apiKeyMissing);
  return found;
}

const publicId = (prefix: string, secret: string): string =>
  `${prefix}_${sha256(sha256(secret)).toString('hex').slice(0, 32)}`;

/** The public id of an API key, as `api_key.public_id` computes it. */
export const keyIdOf = (apiKey: string): string => publicId('akid', apiKey);

/** The public id of an auth token. It reveals nothing of the token. */
export const authTokenIdOf = (authToken: string): string => publicId('atk', authToken);
