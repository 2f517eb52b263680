import { sql } from 'kysely';
import { advisoryLocks } from '../../platform/database/advisory-locks.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { randomToken, sha256 } from '../../platform/encryption/tokens.ts';
import { disabledOfKey, type Disabled } from '../credentials/authenticate.ts';
import { permissionDenied } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import type { SessionKind } from './console-session.entity.ts';
import { absolute, idle, type SessionTimes } from './session-times.ts';

/** Max sessions of a token. A further sign-in ends the least recently used one. */
const maxSessions = 20;

/** Max characters of a user agent that are kept. */
const maxUserAgent = 200;

/** The token of a session. */
export interface SessionOwner {
  readonly kind: SessionKind;
  /** Surrogate key of the workspace, the API key or the operator token; 0 for STEWARD_OPERATOR_TOKEN. */
  readonly ownerId: string;
  readonly tokenHash: Buffer;
}

/** A session as the owner of its token sees it. */
export interface SessionDetails extends SessionTimes {
  /** Public id, `ses_…`. */
  readonly id: string;
  readonly userAgent: string;
}

const ownedBy = (em: EntityManager, { kind, ownerId, tokenHash }: SessionOwner) =>
  tablesOf(em)
    .selectFrom('console_session')
    .where('kind', '=', kind)
    .where('owner_id', '=', ownerId)
    .where('token_hash', '=', tokenHash);

/** The browser that signs in. */
export interface SigningIn {
  readonly userAgent: string;
  /** The secret id of the browser's former session, which ends. */
  readonly formerId: string | undefined;
}

/**
 * Opens a session in the transaction of `em`. Returns the secret id for the cookie, and the public id. Throws
 * PERMISSION_DENIED for a key or workspace that has been disabled since its credentials were proven.
 */
export async function openSession(
  em: EntityManager,
  owner: SessionOwner,
  { userAgent, formerId }: SigningIn,
): Promise<{ readonly sessionId: string; readonly publicId: string }> {
  const tables = tablesOf(em);
  const lock = sql`pg_advisory_xact_lock(${sql.lit(advisoryLocks.consoleSessions)}, hashint8(${owner.ownerId}::bigint))`;
  await sql`select ${lock}`.execute(tables);
  checkActive(await lockOwner(em, owner));
  const oldest = ownedBy(em, owner)
    .select('session_hash')
    .orderBy('last_used_at', 'desc')
    .offset(sql.lit(maxSessions - 1));
  await tables.deleteFrom('console_session').where('session_hash', 'in', oldest).execute();
  if (formerId !== undefined)
    await tables.deleteFrom('console_session').where('session_hash', '=', sha256(formerId)).execute();
  const sessionId = randomToken('ses');
  const { public_id: publicId } = await tables
    .insertInto('console_session')
    .values({
      session_hash: sha256(sessionId),
      kind: owner.kind,
      owner_id: owner.ownerId,
      token_hash: owner.tokenHash,
      user_agent: userAgent.slice(0, maxUserAgent),
      created_at: sql`now()`,
      expires_at: sql`now() + ${absolute}`,
    })
    .returning('public_id')
    .executeTakeFirstOrThrow();
  return { sessionId, publicId };
}

/**
 * Locks the key or the workspace, and returns why it is disabled: disabling waits for the commit, and then ends the
 * session. Sign-ins wait for one another, so that they cannot delay disabling for longer. A token needs no lock, because
 * one that has ended stays ended, with its sessions.
 */
async function lockOwner(
  em: EntityManager,
  { kind, ownerId }: SessionOwner,
): Promise<Disabled | null | undefined> {
  switch (kind) {
    case 'workspace': {
      const workspaces = tablesOf(em).selectFrom('workspace').select('disabled_at').where('id', '=', ownerId);
      const found = await workspaces.forNoKeyUpdate().executeTakeFirst();
      return found?.disabled_at && 'workspace';
    }
    case 'apiKey': {
      const keys = tablesOf(em).selectFrom('api_key as k').where('id', '=', ownerId);
      const found = await keys
        .select(sql<Disabled | null>`${disabledOfKey}`.as('disabled'))
        .forNoKeyUpdate()
        .executeTakeFirst();
      return found?.disabled;
    }
    case 'operator':
      return null;
  }
}

function checkActive(disabled: Disabled | null | undefined): void {
  if (disabled === 'workspace') throw permissionDenied(messages.workspaceDisabled);
  if (disabled === 'key') throw permissionDenied(messages.apiKeyDisabled);
}

/** Lists the valid sessions of a token, the newest first. */
export async function listSessions(
  em: EntityManager,
  owner: SessionOwner,
): Promise<readonly SessionDetails[]> {
  return ownedBy(em, owner)
    .select(['public_id as id', 'user_agent as userAgent', 'created_at as createdAt'])
    .select(['last_used_at as lastUsedAt', 'expires_at as expiresAt'])
    .where('expires_at', '>', sql<Date>`now()`)
    .where('last_used_at', '>', sql<Date>`now() - ${idle}`)
    .orderBy('created_at', 'desc')
    .limit(sql.lit(maxSessions))
    .execute();
}

/** Ends a session of a token by its public id, in every process at commit. Returns whether it existed. */
export async function endSession(
  em: EntityManager,
  { kind, ownerId, tokenHash }: SessionOwner,
  publicId: string,
): Promise<boolean> {
  const { numDeletedRows } = await tablesOf(em)
    .deleteFrom('console_session')
    .where('kind', '=', kind)
    .where('owner_id', '=', ownerId)
    .where('token_hash', '=', tokenHash)
    .where('public_id', '=', publicId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Ends the sessions of a key's tokens for good: enabling the key does not restore them. Takes the surrogate key. */
export async function endKeySessions(em: EntityManager, keyId: string): Promise<void> {
  await tablesOf(em)
    .deleteFrom('console_session')
    .where('kind', '=', 'apiKey')
    .where('owner_id', '=', keyId)
    .execute();
}

/** Ends the sessions of a workspace and of its keys. Takes the surrogate key of the workspace. */
export async function endWorkspaceSessions(em: EntityManager, workspaceId: string): Promise<void> {
  const sessions = tablesOf(em).deleteFrom('console_session');
  await sessions.where('kind', '=', 'workspace').where('owner_id', '=', workspaceId).execute();
  await sessions
    .where('kind', '=', 'apiKey')
    .where('owner_id', 'in', (keys) =>
      keys.selectFrom('api_key').select('id').where('workspace_id', '=', workspaceId),
    )
    .execute();
}
