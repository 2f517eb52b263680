import { sql } from 'kysely';
import { advisoryLocks } from '../../platform/database/advisory-locks.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { randomToken, sha256 } from '../../platform/encryption/tokens.ts';
import { now } from '../columns.ts';
import { failedPrecondition, invalidMember, notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import type { OperatorScope } from '../tenancy/operator-scopes.ts';
import { OperatorToken } from './operator-token.entity.ts';

/** Max tokens that are neither revoked nor expired. */
const maxTokens = 100;

export interface NewOperatorToken {
  readonly name: string;
  readonly scope: OperatorScope;
  readonly actsForKeys: boolean;
  /** Milliseconds since the epoch; undefined for a token without expiry. */
  readonly expiresAt?: number | undefined;
}

/** Adds a token and returns its secret, which is not stored. Throws FAILED_PRECONDITION at the limit. */
export async function addOperatorToken(
  em: EntityManager,
  { name, scope, actsForKeys, expiresAt }: NewOperatorToken,
): Promise<{ readonly row: OperatorToken; readonly token: string }> {
  if (expiresAt !== undefined && expiresAt <= Date.now())
    throw invalidMember('expiresAt', 'expiresAt must be in the future.');
  await checkRoom(em);
  const token = randomToken('opt');
  const row = em.create(OperatorToken, {
    publicId: randomToken('optk'),
    name,
    scope,
    actsForKeys,
    tokenHash: sha256(token),
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt),
  });
  await em.flush();
  return { row, token };
}

/** Throws at the limit. Locks additions until the transaction ends, so that concurrent ones do not exceed it. */
async function checkRoom(em: EntityManager): Promise<void> {
  const tables = tablesOf(em);
  await sql`select pg_advisory_xact_lock(${sql.lit(advisoryLocks.operatorTokens)}, 0)`.execute(tables);
  const valid = await tables
    .selectFrom('operator_token')
    .select('id')
    .where('id', '>', '0')
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`(expires_at is null or expires_at > now())`)
    .limit(maxTokens)
    .execute();
  if (valid.length >= maxTokens) throw failedPrecondition(messages.tooManyOperatorTokens(maxTokens));
}

/** Revokes a token in every process from the commit on. A second call keeps the time of the first. Throws NOT_FOUND. */
export async function revokeOperatorToken(em: EntityManager, publicId: string): Promise<OperatorToken> {
  const row = await em.findOneOrFail(
    OperatorToken,
    { publicId },
    { failHandler: () => notFound(messages.operatorTokenMissing) },
  );
  row.revokedAt ??= now();
  await em.flush();
  return row;
}

/** Lists tokens in order of creation, after the surrogate key `after`; revoked and expired ones too. */
export async function listOperatorTokens(
  em: EntityManager,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<readonly OperatorToken[]> {
  return em.fork().find(OperatorToken, { id: { $gt: after ?? '0' } }, { orderBy: { id: 'asc' }, limit });
}
