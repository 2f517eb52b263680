import type { EntityManager } from '../../platform/database/orm.ts';
import { failedPrecondition } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';

/** Throws FAILED_PRECONDITION unless advanced webhooks are on; the message differs when they never were. */
export async function requireAdvancedWebhooks(em: EntityManager, tenant: Tenant): Promise<void> {
  if (tenant.switches.advancedWebhooks) return;
  const enabled = await tablesOf(em)
    .selectFrom('key_config')
    .select('version')
    .where((row) => row.and({ api_key_id: tenant.id, kind: 'advancedwebhook' }))
    .where('first_enabled_at', 'is not', null)
    .executeTakeFirst();
  throw failedPrecondition(
    enabled === undefined ? messages.advancedWebhooksNotConfigured : messages.advancedWebhooksDisabled,
  );
}
