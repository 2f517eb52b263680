import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { randomToken, sha256 } from '../../platform/encryption/tokens.ts';
import { failedPrecondition, invalidMember, notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import type { TokenScope } from '../tenancy/token-scopes.ts';
import { AuthToken } from './auth-token.entity.ts';
import { requireKey } from './find-key.ts';
import { lockKeyRow } from './lock-key.ts';

/** Max valid scoped tokens of a key. */
const maxTokens = 20;

/** Max ended tokens of a key that are kept. Maintenance deletes them after 1 day. */
const maxEnded = 80;

export interface NewScopedToken {
  readonly apiKey: string;
  readonly name: string;
  /** Distinct scopes. */
  readonly scopes: readonly TokenScope[];
  /** Milliseconds since the epoch; undefined for a token without expiry. */
  readonly expiresAt?: number | undefined;
}

/**
 * Adds a token that may call only the operations of its scopes. Returns its secret, of which only the hash is stored.
 * Throws NOT_FOUND for an unknown key and FAILED_PRECONDITION at the limit.
 */
export async function addScopedToken(
  em: EntityManager,
  workspaceId: string,
  { apiKey, name, scopes, expiresAt }: NewScopedToken,
): Promise<{ readonly row: AuthToken; readonly token: string }> {
  if (expiresAt !== undefined && expiresAt <= Date.now())
    throw invalidMember('expiresAt', 'expiresAt must be in the future.');
  const key = await lockKeyRow(em, { workspace_id: workspaceId, key_hash: sha256(apiKey) });
  await makeRoom(em, key.id);
  const token = randomToken('tok');
  const row = em.create(AuthToken, {
    tokenHash: sha256(token),
    apiKeyId: key.id,
    name,
    scopes: [...scopes],
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt),
  });
  await em.flush();
  return { row, token };
}

/**
 * Deletes ended tokens beyond the limit, and throws when too many are valid. The key must be locked, so that concurrent
 * additions do not exceed the limit.
 */
async function makeRoom(em: EntityManager, apiKeyId: string): Promise<void> {
  const tables = tablesOf(em);
  const valid = await tables
    .selectFrom('auth_token')
    .select('token_hash')
    .where('api_key_id', '=', apiKeyId)
    .where('scopes', 'is not', null)
    .where(sql<boolean>`(expires_at is null or expires_at > statement_timestamp())`)
    .limit(maxTokens)
    .execute();
  if (valid.length >= maxTokens) throw failedPrecondition(messages.tooManyScopedTokens(maxTokens));
  await sql`delete from auth_token where token_hash = any(array(
    select token_hash from auth_token where api_key_id = ${apiKeyId} and scopes is not null
      and expires_at <= statement_timestamp() order by created_at desc offset ${sql.lit(maxEnded)}))`.execute(
    tables,
  );
}

/** Lists the scoped tokens of a key in order of creation, including those that ended within the last day. */
export async function listScopedTokens(
  em: EntityManager,
  workspaceId: string,
  apiKey: string,
): Promise<readonly AuthToken[]> {
  const { tenantId } = await requireKey(em, { apiKey, workspaceId });
  return em.find(
    AuthToken,
    { apiKeyId: tenantId, scopes: { $ne: null } },
    { orderBy: { createdAt: 'asc', publicId: 'asc' }, limit: maxTokens + maxEnded },
  );
}

/**
 * Ends a token in every process from the commit on; `expiresAt` is then the time of its end. A second call keeps the time
 * of the first. Throws NOT_FOUND.
 */
export async function revokeScopedToken(
  em: EntityManager,
  workspaceId: string,
  { apiKey, authTokenId }: { readonly apiKey: string; readonly authTokenId: string },
): Promise<AuthToken> {
  const { tenantId } = await requireKey(em, { apiKey, workspaceId });
  const row = await tablesOf(em)
    .updateTable('auth_token')
    .set({ expires_at: sql`least(expires_at, now())` })
    .where('api_key_id', '=', tenantId)
    .where('public_id', '=', authTokenId)
    .where('scopes', 'is not', null)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw notFound(messages.authTokenMissing);
  return em.map(AuthToken, row);
}
