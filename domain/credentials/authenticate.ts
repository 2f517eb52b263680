import { quickRow } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { sha256 } from '../../platform/encryption/tokens.ts';
import type { AccessType, Switches, Tenant } from '../tenancy/tenant.ts';

export interface WorkspaceCaller {
  /** Surrogate key. */
  readonly id: string;
  readonly workspaceId: string;
}

export interface KeyCaller {
  readonly tenant: Tenant;
  /** Hosts whose pages may call; empty restricts nothing. */
  readonly allowedDomains: readonly string[];
}

interface KeyRow {
  id: string;
  public_id: string;
  allowed_domains: string[];
  configs: {
    activity?: { isEnabled?: boolean; immutable?: boolean };
    notification?: { useNotificationService?: boolean };
    advancedwebhook?: { isEnabled?: boolean };
    webhook?: { useWebhookService?: boolean };
    permissionprovider?: { usePermissionProvider?: boolean };
    apikey?: { defaultDocumentAccessType?: AccessType; defaultFolderAccessType?: AccessType };
  } | null;
}

/**
 * The whole pair is one condition: a key, a token and a token of another key fail alike and at the same cost. Of the
 * basic webhook only the switch is read: its triggers may be many.
 */
const keyStatement = `
  select k.id, k.public_id, k.allowed_domains,
    (select jsonb_object_agg(c.kind, c.config - 'webhookServiceConfig') from key_config c where c.api_key_id = k.id
       and c.kind in ('activity', 'notification', 'advancedwebhook', 'webhook', 'permissionprovider', 'apikey')) as configs
  from auth_token t join api_key k on k.id = t.api_key_id
  where t.token_hash = $1 and k.key_hash = $2 and (t.expires_at is null or t.expires_at > now())`;

/** Nothing of it is kept between requests: a token that was reset or has expired is refused at once, in every process. */
export async function authenticateKey(
  em: EntityManager,
  { apiKey, authToken }: { readonly apiKey: string; readonly authToken: string },
): Promise<KeyCaller | undefined> {
  const found = await quickRow<KeyRow>(em, keyStatement, [sha256(authToken), sha256(apiKey)]);
  if (found === undefined) return undefined;
  const tenant: Tenant = {
    id: found.id,
    keyId: found.public_id,
    apiKey,
    switches: switchesOf(found.configs ?? {}),
  };
  return { tenant, allowedDomains: found.allowed_domains };
}

function switchesOf(configs: NonNullable<KeyRow['configs']>): Switches {
  return {
    activityService: configs.activity?.isEnabled ?? false,
    activitiesImmutable: configs.activity?.immutable ?? false,
    notificationService: configs.notification?.useNotificationService ?? false,
    advancedWebhooks: configs.advancedwebhook?.isEnabled ?? false,
    webhooks: configs.advancedwebhook?.isEnabled === true || configs.webhook?.useWebhookService === true,
    permissionProvider: configs.permissionprovider?.usePermissionProvider ?? false,
    defaultDocumentAccessType: configs.apikey?.defaultDocumentAccessType ?? 'public',
    defaultFolderAccessType: configs.apikey?.defaultFolderAccessType ?? 'public',
  };
}

export async function authenticateWorkspace(
  em: EntityManager,
  { workspaceId, authToken }: { readonly workspaceId: string; readonly authToken: string },
): Promise<WorkspaceCaller | undefined> {
  const found = await quickRow<{ id: string }>(
    em,
    'select id from workspace where public_id = $1 and token_hash = $2',
    [workspaceId, sha256(authToken)],
  );
  return found && { id: found.id, workspaceId };
}
