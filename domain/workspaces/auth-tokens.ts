import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { AadContext, KeyRing } from '../../platform/encryption/key-ring.ts';
import { randomToken, sha256 } from '../../platform/encryption/tokens.ts';
import { failedPrecondition } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import type { ApiKey } from './api-key.entity.ts';
import { AuthToken } from './auth-token.entity.ts';
import { requireKey } from './find-key.ts';
import { lockKeyRow } from './lock-key.ts';

const tokenName = 'Default Auth Token';

/** The AAD context of an auth token. */
export const authTokenContext = (tokenHash: Buffer, apiKeyId: string): AadContext => ({
  table: 'auth_token',
  column: 'token_enc',
  row: tokenHash.toString('hex'),
  tenant: apiKeyId,
});

/** Adds a token to a key; returns it in plain text. */
export function addToken(em: EntityManager, keyRing: KeyRing, apiKeyId: string): string {
  const token = randomToken('tok');
  const tokenHash = sha256(token);
  const tokenEnc = keyRing.encrypt(token, authTokenContext(tokenHash, apiKeyId));
  em.create(AuthToken, { tokenHash, apiKeyId, tokenEnc, name: tokenName });
  return token;
}

export interface TokenView {
  readonly token: string;
  readonly name: string;
  readonly domains: readonly string[];
  /** Milliseconds since the epoch; null for the current token. */
  readonly expiresAt: number | null;
}

/** Max valid auth tokens of a key; at this limit a reset must not overlap. */
const maxTokens = 100;

/** Lists the current token, then former valid tokens, the last to expire first. */
export async function readTokens(
  em: EntityManager,
  keyRing: KeyRing,
  workspaceId: string,
  apiKey: string,
): Promise<TokenView[]> {
  const { tenantId } = await requireKey(em, { apiKey, workspaceId });
  const tokens = await tablesOf(em)
    .selectFrom('auth_token')
    .select(['token_hash', 'token_enc', 'name', 'expires_at'])
    .where('api_key_id', '=', tenantId)
    .where('scopes', 'is', null)
    .where(sql<boolean>`(expires_at is null or expires_at > now())`)
    .orderBy('expires_at', (end) => end.desc().nullsFirst())
    .limit(sql.lit(maxTokens))
    .execute();
  return tokens.map(({ token_hash, token_enc, name, expires_at }) => ({
    token: keyRing.decrypt(requiredSecret(token_enc), authTokenContext(token_hash, tenantId)),
    name,
    domains: [],
    expiresAt: expires_at?.getTime() ?? null,
  }));
}

/**
 * Replaces the current token. Former tokens stop working in every process from the commit on, or `overlapSeconds` later
 * unless they expire earlier. Scoped tokens are kept. Locks the key's row, so that concurrent resets leave one current
 * token. Throws FAILED_PRECONDITION when too many would overlap.
 */
export async function resetToken(
  em: EntityManager,
  keyRing: KeyRing,
  workspaceId: string,
  { apiKey, overlapSeconds }: { readonly apiKey: string; readonly overlapSeconds: number },
): Promise<TokenView> {
  const key = await lockKeyRow(em, { workspace_id: workspaceId, key_hash: sha256(apiKey) });
  return replaceToken(em, keyRing, key, overlapSeconds);
}

/** Like `resetToken`, for a key that the transaction has locked. */
export async function replaceToken(
  em: EntityManager,
  keyRing: KeyRing,
  found: ApiKey,
  overlapSeconds: number,
): Promise<TokenView> {
  if (overlapSeconds === 0) await em.nativeDelete(AuthToken, { apiKeyId: found.id, scopes: null });
  else await expireTokens(em, found.id, overlapSeconds);
  return { token: addToken(em, keyRing, found.id), name: tokenName, domains: [], expiresAt: null };
}

/** The time counts from now, because the start of the transaction may be earlier by a wait for the key's lock. */
async function expireTokens(em: EntityManager, apiKeyId: string, seconds: number): Promise<void> {
  const tokens = tablesOf(em);
  await tokens
    .deleteFrom('auth_token')
    .where('api_key_id', '=', apiKeyId)
    .where('scopes', 'is', null)
    .where('expires_at', '<=', sql<Date>`clock_timestamp()`)
    .execute();
  const { numUpdatedRows: kept } = await tokens
    .updateTable('auth_token')
    .set({ expires_at: sql`least(expires_at, clock_timestamp() + ${seconds} * interval '1 second')` })
    .where('api_key_id', '=', apiKeyId)
    .where('scopes', 'is', null)
    .executeTakeFirstOrThrow();
  if (kept >= maxTokens) throw failedPrecondition(messages.tooManyTokens(maxTokens));
}

/** Returns the encrypted secret of a token without scopes. */
function requiredSecret(tokenEnc: Buffer | null): Buffer {
  if (tokenEnc === null) throw new Error('missing secret of an auth token without scopes');
  return tokenEnc;
}
