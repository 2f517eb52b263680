import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { lookupOf } from '../../platform/database/statements.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { sha256 } from '../../platform/encryption/tokens.ts';
import {
  keyCallerOf,
  keyColumns,
  KeyRow,
  type KeyCaller,
  type StoredOperator,
  type WorkspaceCaller,
} from '../credentials/authenticate.ts';
import { operatorScopes } from '../tenancy/operator-scopes.ts';
import { apiKeyContext } from '../workspaces/api-key-context.ts';
import { sessionKinds, type SessionKind } from './console-session.entity.ts';
import { idle, type SessionTimes } from './session-times.ts';

/** A valid session, and the credentials that it acts with. */
export interface ConsoleSession extends SessionTimes {
  /** Public id, `ses_…`. */
  readonly id: string;
  readonly kind: SessionKind;
  /** Surrogate key of the owner; 0 for STEWARD_OPERATOR_TOKEN. */
  readonly ownerId: string;
  readonly tokenHash: Buffer;
  /** Set for sessions of a workspace. */
  readonly workspace?: WorkspaceCaller & { readonly name: string };
  /** Set for sessions of a stored operator token. */
  readonly operator?: StoredOperator;
  /** The key of the session, or the key that the call names and the session has access to. May be disabled. */
  readonly key?: KeyCaller & { readonly name: string };
}

const Found = z.strictObject({
  id: z.string(),
  kind: z.enum(sessionKinds),
  owner_id: z.string(),
  token_hash: z.instanceof(Buffer),
  created_at: z.date(),
  last_used_at: z.date(),
  expires_at: z.date(),
  workspace: z.strictObject({ id: z.string(), workspaceId: z.string(), name: z.string() }).nullable(),
  operator: z
    .strictObject({
      id: z.string(),
      tokenId: z.string(),
      name: z.string(),
      scope: z.enum(operatorScopes),
      actsForKeys: z.boolean(),
    })
    .nullable(),
  key: KeyRow.nullable(),
  key_name: z.string().nullable(),
  key_hash: z.instanceof(Buffer).nullable(),
  key_enc: z.instanceof(Buffer).nullable(),
  key_workspace: z.string().nullable(),
});

/**
 * SQL: a session with its token and key. Also records the minute of its last use, and the hour of that of an operator
 * token; a use of a scoped token is recorded with its call. A key without access for the session is null, so it fails
 * like an unknown one.
 */
const sessionOf = (sessionHash: Buffer, keyId: string | null) => sql`
  with used as (
    update console_session set last_used_at = now() where session_hash = ${sessionHash} and expires_at > now()
      and last_used_at > now() - ${idle} and last_used_at < now() - interval '1 minute'),
  token_used as (
    update operator_token set last_used_at = date_trunc('hour', now(), 'UTC') where id = (
      select o.id from console_session s join operator_token o on o.id = s.owner_id and o.token_hash = s.token_hash
      where s.session_hash = ${sessionHash} and s.kind = 'operator' and s.expires_at > now()
        and s.last_used_at > now() - ${idle} and o.revoked_at is null and (o.expires_at is null or o.expires_at > now())
        and (o.last_used_at is null or o.last_used_at < date_trunc('hour', now(), 'UTC'))
      for no key update of o skip locked))
  select s.public_id as id, s.kind, s.owner_id, s.token_hash, s.created_at, s.last_used_at, s.expires_at,
    case when w.id is not null then json_build_object('id', w.id::text, 'workspaceId', w.public_id, 'name', w.name) end
      as workspace,
    case when o.id is not null then json_build_object('id', o.id::text, 'tokenId', o.public_id, 'name', o.name,
      'scope', o.scope, 'actsForKeys', o.acts_for_keys) end as operator,
    case when k.id is not null then (select to_json(columns) from (select ${keyColumns}) columns) end as key,
    k.name as key_name, k.key_hash, k.key_enc, k.workspace_id as key_workspace
  from console_session s
  left join workspace w on s.kind = 'workspace' and w.id = s.owner_id and w.token_hash = s.token_hash
    and w.disabled_at is null
  left join auth_token t on s.kind = 'apiKey' and t.token_hash = s.token_hash and t.api_key_id = s.owner_id
    and (t.expires_at is null or t.expires_at > now())
    and exists (select from api_key where id = t.api_key_id and deleted_at is null and disabled_at is null
      and workspace_disabled_at is null)
  left join operator_token o on s.kind = 'operator' and o.id = s.owner_id and o.token_hash = s.token_hash
    and o.revoked_at is null and (o.expires_at is null or o.expires_at > now())
  left join api_key k on k.id = coalesce(t.api_key_id, (select id from api_key where public_id = ${keyId}))
    and k.deleted_at is null and (${keyId}::text is null or k.public_id = ${keyId})
    and (s.kind <> 'workspace' or k.workspace_id = w.id)
  where s.session_hash = ${sessionHash} and s.expires_at > now() and s.last_used_at > now() - ${idle}
    and (w.id is not null or t.token_hash is not null or o.id is not null or s.kind = 'operator' and s.owner_id = 0)`;

/**
 * Returns the session of a secret id; undefined for one that is unknown or expired, or whose token is invalid.
 * `keyId` names the key of the call, `akid_…`. The caller compares a session of STEWARD_OPERATOR_TOKEN with its setting.
 */
export async function authenticateSession(
  em: EntityManager,
  keyRing: KeyRing,
  { sessionId, keyId, requestId }: { sessionId: string; keyId: string | undefined; requestId: string },
): Promise<ConsoleSession | undefined> {
  const [found] = await lookupOf(em, Found, sessionOf(sha256(sessionId), keyId ?? null));
  if (found === undefined) return undefined;
  const key = keyOf(keyRing, found, requestId);
  return {
    id: found.id,
    kind: found.kind,
    ownerId: found.owner_id,
    tokenHash: found.token_hash,
    createdAt: found.created_at,
    lastUsedAt: found.last_used_at,
    expiresAt: found.expires_at,
    ...(found.workspace && { workspace: found.workspace }),
    ...(found.operator && { operator: found.operator }),
    ...(key && { key }),
  };
}

function keyOf(
  keyRing: KeyRing,
  found: z.infer<typeof Found>,
  requestId: string,
): ConsoleSession['key'] | undefined {
  const { key, key_name: name, key_hash: hash, key_enc: secret, key_workspace: workspaceId } = found;
  if (key === null || name === null || hash === null || secret === null || workspaceId === null)
    return undefined;
  const apiKey = keyRing.decrypt(secret, apiKeyContext(hash, workspaceId));
  return { ...keyCallerOf(key, { apiKey, tokenHash: found.token_hash, requestId }), name };
}
