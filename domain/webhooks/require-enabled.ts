import { row } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { failedPrecondition } from '../errors.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';

/** Throws FAILED_PRECONDITION unless advanced webhooks are on, and says whether they ever were. */
export async function requireAdvancedWebhooks(em: EntityManager, tenant: Tenant): Promise<void> {
  if (tenant.switches.advancedWebhooks) return;
  const enabled = await row(
    em,
    `select 1 as once from key_config where api_key_id = $1 and kind = 'advancedwebhook' and first_enabled_at is not null`,
    [tenant.id],
  );
  throw failedPrecondition(
    enabled === undefined ? messages.advancedWebhooksNotConfigured : messages.advancedWebhooksDisabled,
  );
}
