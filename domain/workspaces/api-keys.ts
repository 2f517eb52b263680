import { failedPrecondition, notFound } from '../errors.ts';
import { epochMilliseconds } from '../jobs/job-times.ts';
import { messages } from '../messages.ts';
import { row, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing, SecretPlace } from '../../platform/encryption/key-ring.ts';
import { randomToken, sha256 } from '../../platform/encryption/tokens.ts';
import { ApiKey, type ApiKeyType } from './api-key.entity.ts';
import { AuthToken } from './auth-token.entity.ts';
import { localPart } from './create-workspace.ts';

export interface NewApiKey {
  readonly ownerEmail: string;
  readonly type: ApiKeyType;
  readonly apiKeyName?: string | undefined;
  readonly createAuthToken: boolean;
  /** Normalised. */
  readonly allowedDomains: readonly string[];
}

/** The key in clear, and the surrogate id that its configurations are stored under. */
export interface CreatedApiKey {
  readonly id: string;
  readonly apiKey: string;
  readonly authToken: string | undefined;
}

export interface ApiKeyView {
  readonly id: string;
  readonly apiKeyName: string;
  readonly type: ApiKeyType;
}

const tokenName = 'Default Auth Token';

/** Where an API key is sealed, to be read again by its workspace. */
export const apiKeyPlace = (keyHash: Buffer, workspaceId: string): SecretPlace => ({
  table: 'api_key',
  column: 'key_enc',
  row: keyHash.toString('hex'),
  tenant: workspaceId,
});

/** Where an auth token is sealed. */
export const authTokenPlace = (tokenHash: Buffer, apiKeyId: string): SecretPlace => ({
  table: 'auth_token',
  column: 'token_enc',
  row: tokenHash.toString('hex'),
  tenant: apiKeyId,
});

export async function createApiKey(
  em: EntityManager,
  keyRing: KeyRing,
  workspaceId: string,
  wish: NewApiKey,
): Promise<CreatedApiKey> {
  const apiKey = randomToken('key');
  const keyHash = sha256(apiKey);
  const created = em.create(ApiKey, {
    workspaceId,
    keyHash,
    keyEnc: keyRing.encrypt(apiKey, apiKeyPlace(keyHash, workspaceId)),
    name: wish.apiKeyName ?? defaultName(wish),
    type: wish.type,
    ownerEmail: wish.ownerEmail,
    allowedDomains: [...wish.allowedDomains],
  });
  await em.flush();
  return {
    id: created.id,
    apiKey,
    authToken: wish.createAuthToken ? addToken(em, keyRing, created.id) : undefined,
  };
}

function defaultName({ ownerEmail, type }: NewApiKey): string {
  const owner = localPart(ownerEmail);
  return `${owner.charAt(0).toUpperCase()}${owner.slice(1)} ${type === 'production' ? '' : 'Test '}API Key`;
}

function addToken(em: EntityManager, keyRing: KeyRing, apiKeyId: string): string {
  const token = randomToken('tok');
  const tokenHash = sha256(token);
  const tokenEnc = keyRing.encrypt(token, authTokenPlace(tokenHash, apiKeyId));
  em.create(AuthToken, { tokenHash, apiKeyId, tokenEnc, name: tokenName });
  return token;
}

/** A key of another workspace does not exist, like one that never was. */
async function findKey(em: EntityManager, workspaceId: string, apiKey: string): Promise<ApiKey> {
  const found = await em.findOne(ApiKey, { keyHash: sha256(apiKey), workspaceId });
  if (found === null) throw notFound(messages.apiKeyMissing);
  return found;
}

export async function renameApiKey(
  em: EntityManager,
  workspaceId: string,
  { apiKey, apiKeyName }: { readonly apiKey: string; readonly apiKeyName: string },
): Promise<void> {
  const found = await findKey(em, workspaceId, apiKey);
  found.name = apiKeyName;
}

export interface TokenView {
  readonly token: string;
  readonly name: string;
  readonly domains: readonly string[];
  /** Milliseconds since the epoch; null for the current token. */
  readonly expiresAt: number | null;
}

/** Auth tokens of a key that are valid at once; a reset beyond them must let none overlap. */
const maxTokens = 100;

interface TokenRow {
  token_hash: Buffer;
  token_enc: Buffer;
  name: string;
  expires_at: number | null;
}

/** The current token first, then former ones that still overlap, the last to expire first. */
export async function readTokens(
  em: EntityManager,
  keyRing: KeyRing,
  workspaceId: string,
  apiKey: string,
): Promise<TokenView[]> {
  const found = await findKey(em, workspaceId, apiKey);
  const tokens = await rows<TokenRow>(
    em,
    `select token_hash, token_enc, name, ${epochMilliseconds('expires_at')} as expires_at from auth_token
     where api_key_id = $1 and (expires_at is null or expires_at > now())
     order by expires_at desc nulls first limit ${String(maxTokens)}`,
    [found.id],
  );
  return tokens.map(({ token_hash, token_enc, name, expires_at }) => ({
    token: keyRing.decrypt(token_enc, authTokenPlace(token_hash, found.id)),
    name,
    domains: [],
    expiresAt: expires_at,
  }));
}

/**
 * Former tokens are refused from the commit on, in every process, or `overlapSeconds` after it; one that expires earlier
 * keeps its end. The key's row is locked: two resets leave one current token. Throws FAILED_PRECONDITION when too many
 * would overlap.
 */
export async function resetToken(
  em: EntityManager,
  keyRing: KeyRing,
  workspaceId: string,
  { apiKey, overlapSeconds }: { readonly apiKey: string; readonly overlapSeconds: number },
): Promise<TokenView> {
  const found = await findKey(em, workspaceId, apiKey);
  await rows(em, 'select id from api_key where id = $1 for update', [found.id]);
  if (overlapSeconds === 0) await em.nativeDelete(AuthToken, { apiKeyId: found.id });
  else await expireTokens(em, found.id, overlapSeconds);
  return { token: addToken(em, keyRing, found.id), name: tokenName, domains: [], expiresAt: null };
}

/** Counts from the lock of the key's row: of two resets at once, the second may have waited for the first. */
async function expireTokens(em: EntityManager, apiKeyId: string, seconds: number): Promise<void> {
  await rows(em, 'delete from auth_token where api_key_id = $1 and expires_at <= clock_timestamp()', [
    apiKeyId,
  ]);
  const kept = await rows(
    em,
    `update auth_token set expires_at = least(expires_at, clock_timestamp() + $2 * interval '1 second')
     where api_key_id = $1 returning 1`,
    [apiKeyId, seconds],
  );
  if (kept.length >= maxTokens) throw failedPrecondition(messages.tooManyTokens(maxTokens));
}

interface KeyRow {
  id: string;
  key_hash: Buffer;
  key_enc: Buffer;
  name: string;
  type: ApiKeyType;
}

/** In order of creation, behind the surrogate id `after`; one more than asked tells whether there is another page. */
export async function listApiKeys(
  em: EntityManager,
  keyRing: KeyRing,
  workspaceId: string,
  {
    apiKeys,
    after,
    limit,
  }: { apiKeys?: readonly string[] | undefined; after?: string | undefined; limit: number },
): Promise<(ApiKeyView & { readonly position: string })[]> {
  const found = await rows<KeyRow>(
    em,
    `select id, key_hash, key_enc, name, type from api_key
     where workspace_id = $1 and id > $2 and ($3::bytea[] is null or key_hash = any($3)) order by id limit $4`,
    [workspaceId, after ?? '0', apiKeys?.map(sha256) ?? null, limit],
  );
  return found.map((key) => ({
    id: keyRing.decrypt(key.key_enc, apiKeyPlace(key.key_hash, workspaceId)),
    apiKeyName: key.name,
    type: key.type,
    position: key.id,
  }));
}

/** The key itself, which identifies it to its owner. */
export async function readApiKey(em: EntityManager, keyRing: KeyRing, apiKeyId: string): Promise<string> {
  const found = await row<{ key_hash: Buffer; key_enc: Buffer; workspace_id: string }>(
    em,
    'select key_hash, key_enc, workspace_id from api_key where id = $1',
    [apiKeyId],
  );
  if (found === undefined) throw new Error('missing row for the API key of a deletion');
  return keyRing.decrypt(found.key_enc, apiKeyPlace(found.key_hash, found.workspace_id));
}

/** The e-mail address that the key was created for. */
export async function apiKeyOwner(em: EntityManager, apiKeyId: string): Promise<string> {
  const found = await row<{ owner_email: string }>(em, 'select owner_email from api_key where id = $1', [
    apiKeyId,
  ]);
  if (found === undefined) throw new Error('A key that was authenticated has no row.');
  return found.owner_email;
}
