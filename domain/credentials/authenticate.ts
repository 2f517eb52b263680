import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { PreparedLookup } from '../../platform/database/prepared-lookup.ts';
import { lookup } from '../../platform/database/statements.ts';
import { sha256 } from '../../platform/encryption/tokens.ts';
import { tablesOf } from '../tables.ts';
import type { OperatorCaller } from '../tenancy/operator-scopes.ts';
import type { AccessType, Switches, CallingTenant } from '../tenancy/tenant.ts';

/** A workspace whose token the call sends. */
export interface WorkspaceCaller {
  /** Surrogate key. */
  readonly id: string;
  readonly workspaceId: string;
}

/** The auth token of a call. */
export interface CallerToken {
  readonly hash: Buffer;
  /** Null for a token that may call every operation. */
  readonly scopes: readonly string[] | null;
  /** Whether its use in this hour is not recorded yet. */
  readonly useUnrecorded: boolean;
}

/** Why valid credentials are refused. */
export type Disabled = 'key' | 'workspace';

/** An API key whose credentials the call sends. */
export interface KeyCaller {
  readonly tenant: CallingTenant;
  /** Hosts whose pages may call; an empty list allows every origin. */
  readonly allowedDomains: readonly string[];
  readonly token: CallerToken;
  /** Null for an active key. */
  readonly disabled: Disabled | null;
}

/** The switches in the configurations of a key, by kind; absent members have their defaults. */
export interface Configs {
  readonly activity?: { isEnabled?: boolean; immutable?: boolean };
  readonly notification?: { useNotificationService?: boolean };
  readonly email?: { useEmailService?: boolean };
  readonly slack?: { useSlackService?: boolean };
  readonly advancedwebhook?: { isEnabled?: boolean };
  readonly webhook?: { useWebhookService?: boolean };
  readonly permissionprovider?: { usePermissionProvider?: boolean };
  readonly apikey?: { defaultDocumentAccessType?: AccessType; defaultFolderAccessType?: AccessType };
}

/** An API key and its token. */
export const KeyRow = z.strictObject({
  id: z.string(),
  public_id: z.string(),
  allowed_domains: z.array(z.string()),
  scopes: z.array(z.string()).nullable(),
  use_unrecorded: z.boolean(),
  requests_per_second: z.number().nullable(),
  request_burst: z.number().nullable(),
  ai_concurrency: z.number().nullable(),
  disabled: z.enum(['key', 'workspace']).nullable(),
  configs: z.custom<Configs | null>(),
});

/** SQL: the configurations of the key `k` that contain switches, without their larger members. */
export const switchesOfKey = sql`(select jsonb_object_agg(c.kind, c.config - '{webhookServiceConfig,emailServiceConfig,slackServiceConfig}'::text[])
    from key_config c where c.api_key_id = k.id and c.kind in
      ('activity', 'notification', 'email', 'slack', 'advancedwebhook', 'webhook', 'permissionprovider', 'apikey'))`;

/** SQL: why the key `k` is disabled; null for an active one. */
export const disabledOfKey = sql`case when k.workspace_disabled_at is not null then 'workspace' when k.disabled_at is not null then 'key' end`;

/** The columns of `KeyRow`, of `api_key k` and `auth_token t`. */
export const keyColumns = sql`
  k.id::text as id, k.public_id, k.allowed_domains, k.requests_per_second, k.request_burst, k.ai_concurrency, t.scopes,
    t.scopes is not null and (t.last_used_at is null or t.last_used_at < date_trunc('hour', now(), 'UTC')) as use_unrecorded,
    ${disabledOfKey} as disabled,
    ${switchesOfKey} as configs`;

/** Key and token are one condition, so that a wrong key, token or pair fails the same way and at the same cost. */
const keyOf = new PreparedLookup(
  KeyRow,
  (tokenHash: Buffer, keyHash: Buffer) => sql`
  select ${keyColumns}
  from auth_token t join api_key k on k.id = t.api_key_id
  where t.token_hash = ${tokenHash} and k.key_hash = ${keyHash} and (t.expires_at is null or t.expires_at > now())
    and k.deleted_at is null`,
);

/** Returns the caller; undefined for wrong credentials. Never cached, so every process refuses a reset token at once. */
export async function authenticateKey(
  em: EntityManager,
  { apiKey, authToken }: { readonly apiKey: string; readonly authToken: string },
  requestId?: string,
): Promise<KeyCaller | undefined> {
  const tokenHash = sha256(authToken);
  const [found] = await keyOf.rows(em, tokenHash, sha256(apiKey));
  return found && keyCallerOf(found, { apiKey, tokenHash, requestId });
}

/** Returns the caller of a row and of the credentials that found it. */
export function keyCallerOf(
  found: z.infer<typeof KeyRow>,
  {
    apiKey,
    tokenHash: hash,
    requestId,
  }: { readonly apiKey: string; readonly tokenHash: Buffer; readonly requestId: string | undefined },
): KeyCaller {
  const tenant: CallingTenant = {
    id: found.id,
    keyId: found.public_id,
    apiKey,
    switches: switchesOf(found.configs ?? {}),
    ...(requestId !== undefined && { requestId }),
    limits: {
      requestsPerSecond: found.requests_per_second,
      burst: found.request_burst,
      aiConcurrency: found.ai_concurrency,
    },
  };
  const { scopes, use_unrecorded: useUnrecorded } = found;
  return {
    tenant,
    allowedDomains: found.allowed_domains,
    disabled: found.disabled,
    token: { hash, scopes, useUnrecorded },
  };
}

/** The switches of a key; `configs` as `switchesOfKey` returns them. */
export function switchesOf(configs: Configs): Switches {
  return {
    activityLogs: configs.activity?.isEnabled ?? false,
    activityLogsImmutable: configs.activity?.immutable ?? false,
    notificationService: configs.notification?.useNotificationService ?? false,
    email: configs.email?.useEmailService ?? false,
    slack: configs.slack?.useSlackService ?? false,
    advancedWebhooks: configs.advancedwebhook?.isEnabled ?? false,
    webhooks: configs.advancedwebhook?.isEnabled === true || configs.webhook?.useWebhookService === true,
    permissionProvider: configs.permissionprovider?.usePermissionProvider ?? false,
    defaultDocumentAccessType: configs.apikey?.defaultDocumentAccessType ?? 'public',
    defaultFolderAccessType: configs.apikey?.defaultFolderAccessType ?? 'public',
  };
}

/** Returns the workspace of an id and its token; undefined when they do not match. */
export async function authenticateWorkspace(
  em: EntityManager,
  { workspaceId, authToken }: { readonly workspaceId: string; readonly authToken: string },
): Promise<(WorkspaceCaller & { readonly disabled: Disabled | null }) | undefined> {
  const workspaces = tablesOf(em)
    .selectFrom('workspace')
    .select(['id', 'disabled_at'])
    .where((row) => row.and({ public_id: workspaceId, token_hash: sha256(authToken) }));
  const [found] = await lookup(em, workspaces);
  return found && { id: found.id, workspaceId, disabled: found.disabled_at && 'workspace' };
}

/** A stored operator token. */
export interface StoredOperator extends OperatorCaller {
  /** Surrogate key. */
  readonly id: string;
}

/** Undefined for an unknown, revoked or expired token. Records the hour of its last use, once per hour. */
export async function authenticateOperator(
  em: EntityManager,
  token: string,
): Promise<StoredOperator | undefined> {
  const thisHour = sql<Date>`date_trunc('hour', now(), 'UTC')`;
  const tables = tablesOf(em);
  const [found] = await lookup(
    em,
    tables
      .selectFrom('operator_token')
      .select(['id', 'public_id', 'name', 'scope', 'acts_for_keys'])
      .select(sql<boolean>`last_used_at >= ${thisHour}`.as('recorded'))
      .where('token_hash', '=', sha256(token))
      .where('revoked_at', 'is', null)
      .where(sql<boolean>`(expires_at is null or expires_at > now())`),
  );
  if (found === undefined) return undefined;
  const { id, public_id: tokenId, name, scope, acts_for_keys: actsForKeys, recorded } = found;
  if (!recorded)
    await tables.updateTable('operator_token').set({ last_used_at: thisHour }).where('id', '=', id).execute();
  return { id, tokenId, name, scope, actsForKeys };
}
