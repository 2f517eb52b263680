import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { advancedWebhookKind } from '../../configuration/kinds/advanced-webhook.ts';
import { tablesOf } from '../../tables.ts';
import { isActive } from '../../workspaces/key-activity.ts';
import type { WebhookProvider } from '../provider.ts';

/**
 * Counts the API keys in use with advanced webhooks on that never requested an application at an external provider, such
 * as those of another provider before. Their events are dispatched to nobody.
 */
export async function countMissingApplications(
  em: EntityManager,
  provider: Exclude<WebhookProvider['name'], 'embedded'>,
): Promise<number> {
  const { missing } = await tablesOf(em)
    .selectFrom('key_config as c')
    .innerJoin('api_key as k', 'k.id', 'c.api_key_id')
    .select(sql<string>`count(*)`.as('missing'))
    .where('c.kind', '=', advancedWebhookKind.name)
    .where(sql<boolean>`(c.config ->> 'isEnabled')::boolean`)
    .where(isActive)
    .where((key) =>
      key.not(
        key.exists(
          key
            .selectFrom('webhook_application as a')
            .select('a.api_key_id')
            .whereRef('a.api_key_id', '=', 'c.api_key_id')
            .where('a.provider', '=', provider),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(missing);
}
