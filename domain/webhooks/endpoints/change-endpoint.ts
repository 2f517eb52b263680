import { sql } from 'kysely';
import { indexMetadata, lockPeopleInMetadata } from '../../users/people-in-metadata.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { tablesOf } from '../../tables.ts';
import type { WebhookEndpoint, WebhookEndpointChange } from '../provider.ts';
import { endpointColumns, endpointView, lockEndpoint, updatedNow } from './endpoint-row.ts';

/** Enabling clears the reason and `failing_since`; disabling a disabled endpoint keeps its reason. */
const switched = (disabled: boolean) => ({
  disabled_at: sql<Date | null>`case when ${disabled} then coalesce(disabled_at, now()) end`,
  disabled_reason: sql<string | null>`case when ${disabled} then disabled_reason end`,
  failing_since: sql<Date | null>`case when ${disabled} then failing_since end`,
});

/** Updates the given members only. */
export async function changeEndpoint(
  em: EntityManager,
  tenantId: string,
  endpointId: string,
  change: WebhookEndpointChange,
): Promise<WebhookEndpoint> {
  const { id } = await lockEndpoint(em, tenantId, endpointId);
  const { url, description, filterTypes, channels, rateLimit, metadata, disabled } = change;
  if (metadata !== undefined) {
    await lockPeopleInMetadata(em, { id: tenantId }, [{ metadata }], null);
    await indexMetadata(em, { id: tenantId }, 'webhookEndpoint', [{ metadata }], () => id);
  }
  const changed = await tablesOf(em)
    .updateTable('webhook_endpoint')
    .set({ url, description, filter_types: filterTypes, channels, rate_limit: rateLimit, metadata })
    .set({ ...(disabled !== undefined && switched(disabled)), updated_at: updatedNow })
    .where((row) => row.and({ api_key_id: tenantId, id }))
    .returning(endpointColumns)
    .executeTakeFirstOrThrow();
  return endpointView(changed);
}

/**
 * Hides an endpoint and frees its uid immediately. `purgeDeletedEndpoints` deletes the row after its messages and attempts.
 */
export async function removeEndpoint(em: EntityManager, tenantId: string, endpointId: string): Promise<void> {
  const { id } = await lockEndpoint(em, tenantId, endpointId);
  await tablesOf(em)
    .updateTable('webhook_endpoint')
    .set({ deleted_at: sql`now()`, secret_enc: null, old_secret_enc: null })
    .where((row) => row.and({ api_key_id: tenantId, id }))
    .execute();
}
