import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { AadContext, KeyRing } from '../../platform/encryption/key-ring.ts';
import { randomToken, sha256 } from '../../platform/encryption/tokens.ts';
import { permissionDenied } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import { ApiKey, type ApiKeyType } from './api-key.entity.ts';
import { addToken } from './auth-tokens.ts';
import { localPart } from './create-workspace.ts';
import { lockKeyRow } from './lock-key.ts';

export interface NewApiKey {
  readonly ownerEmail: string;
  readonly type: ApiKeyType;
  readonly apiKeyName?: string | undefined;
  readonly createAuthToken: boolean;
  /** Normalized by `normalizeDomain`. */
  readonly allowedDomains: readonly string[];
}

/** The key in plain text; `id` is its surrogate key. */
export interface CreatedApiKey {
  readonly id: string;
  readonly apiKey: string;
  readonly authToken: string | undefined;
}

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

/**
 * `key_<cell>_<random>`: new keys name a cell, for deployments with several databases (docs/scaling.md). There is one
 * cell, 0, and no code reads it. Keys of 0.2.0 have none and stay valid.
 */
const newKeyPrefix = 'key_0';

/** The AAD context of an API key, which its workspace can read again. */
export const apiKeyContext = (keyHash: Buffer, workspaceId: string): AadContext => ({
  table: 'api_key',
  column: 'key_enc',
  row: keyHash.toString('hex'),
  tenant: workspaceId,
});

export async function createApiKey(
  em: EntityManager,
  keyRing: KeyRing,
  workspaceId: string,
  request: NewApiKey,
): Promise<CreatedApiKey> {
  await checkWorkspace(em, workspaceId);
  const apiKey = randomToken(newKeyPrefix);
  const keyHash = sha256(apiKey);
  const created = em.create(ApiKey, {
    workspaceId,
    keyHash,
    keyEnc: keyRing.encrypt(apiKey, apiKeyContext(keyHash, workspaceId)),
    name: request.apiKeyName ?? defaultName(request),
    type: request.type,
    ownerEmail: request.ownerEmail,
    allowedDomains: [...request.allowedDomains],
  });
  await em.flush();
  return {
    id: created.id,
    apiKey,
    authToken: request.createAuthToken ? addToken(em, keyRing, created.id) : undefined,
  };
}

/**
 * Throws if the workspace has been disabled since the call was authenticated. Its lock delays disabling until the commit.
 * Calls that create keys of a workspace wait for one another, so that they cannot delay disabling for longer.
 */
async function checkWorkspace(em: EntityManager, workspaceId: string): Promise<void> {
  const { disabled_at } = await tablesOf(em)
    .selectFrom('workspace')
    .select('disabled_at')
    .where('id', '=', workspaceId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  if (disabled_at !== null) throw permissionDenied(messages.workspaceDisabled);
}

function defaultName({ ownerEmail, type }: Pick<NewApiKey, 'ownerEmail' | 'type'>): string {
  const owner = localPart(ownerEmail);
  return `${owner.charAt(0).toUpperCase()}${owner.slice(1)} ${type === 'production' ? '' : 'Test '}API Key`;
}

/** Returns the former name; null for the default name, which contains the owner's. */
export async function renameApiKey(
  em: EntityManager,
  workspaceId: string,
  { apiKey, apiKeyName }: { readonly apiKey: string; readonly apiKeyName: string },
): Promise<{ readonly before: string | null }> {
  const found = await lockKeyRow(em, { workspace_id: workspaceId, key_hash: sha256(apiKey) });
  const before = found.name === defaultName(found) ? null : found.name;
  found.name = apiKeyName;
  return { before };
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
