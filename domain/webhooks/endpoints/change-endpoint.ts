import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { indexMetadata, lockPeopleInMetadata } from '../../users/people-in-metadata.ts';
import { tablesOf } from '../../tables.ts';
import type { ChangedEndpoint, WebhookEndpoint, WebhookEndpointChange } from '../provider.ts';
import { noRecovery } from './no-recovery.ts';
import { endpointColumns, endpointView, lockEndpointRow, updatedNow } from './endpoint-row.ts';

const staysEnabled = (disabled: boolean) => sql`not ${disabled} and disabled_at is null`;

/** Enabling clears the reason and `failing_since`; disabling a disabled endpoint keeps its reason. Either ends a recovery. */
const switched = (disabled: boolean) => ({
  disabled_at: sql<Date | null>`case when ${disabled} then coalesce(disabled_at, now()) end`,
  disabled_reason: sql<string | null>`case when ${disabled} then disabled_reason end`,
  failing_since: sql<Date | null>`case when ${disabled} then failing_since end`,
  recovered_until: sql<Date | null>`case when ${staysEnabled(disabled)} then recovered_until end`,
  recovery_spares: sql<boolean | null>`case when ${staysEnabled(disabled)} then recovery_spares end`,
});

/** Updates the given members only. */
export async function changeEndpoint(
  em: EntityManager,
  tenantId: string,
  endpointId: string,
  change: WebhookEndpointChange,
): Promise<ChangedEndpoint> {
  const before = await lockEndpointRow(em, tenantId, endpointId);
  const { id } = before;
  const { url, description, filterTypes, channels, rateLimit, metadata, disabled } = change;
  if (metadata !== undefined) {
    await lockPeopleInMetadata(em, { id: tenantId }, [{ metadata }], null);
    await indexMetadata(em, { id: tenantId }, 'webhookEndpoint', [{ metadata }], () => id);
  }
  const changed = await tablesOf(em)
    .updateTable('webhook_endpoint')
    .set({ url, description, filter_types: filterTypes, channels, rate_limit: rateLimit, metadata })
    .set({
      ...(disabled !== undefined && switched(disabled)),
      // Failures of a former URL do not count towards the five days, and its success ends no outage of the new one.
      ...(url !== undefined && url !== before.url && { failing_since: null, ...noRecovery }),
      updated_at: updatedNow,
    })
    .where((row) => row.and({ api_key_id: tenantId, id }))
    .returning(endpointColumns)
    .executeTakeFirstOrThrow();
  return { before: endpointView(before), after: endpointView(changed) };
}

/**
 * Hides an endpoint, frees its uid immediately and returns it. `purgeDeletedEndpoints` deletes the row after its messages
 * and attempts.
 */
export async function removeEndpoint(
  em: EntityManager,
  tenantId: string,
  endpointId: string,
): Promise<WebhookEndpoint> {
  const found = await lockEndpointRow(em, tenantId, endpointId);
  await tablesOf(em)
    .updateTable('webhook_endpoint')
    .set({ deleted_at: sql`now()`, secret_enc: null, old_secret_enc: null })
    .where((row) => row.and({ api_key_id: tenantId, id: found.id }))
    .execute();
  return endpointView(found);
}
