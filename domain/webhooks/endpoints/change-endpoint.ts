import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { indexMetadata, lockPeopleInMetadata } from '../../users/people-in-metadata.ts';
import { tablesOf } from '../../tables.ts';
import type { ChangedEndpoint, WebhookEndpoint, WebhookEndpointChange } from '../provider.ts';
import { endpointColumns, endpointView, lockEndpointRow, updatedNow } from './endpoint-row.ts';

/**
 * SQL: columns that an update changes besides its members, with one text for all updates. Enabling clears the reason and
 * `failing_since`; disabling a disabled endpoint keeps its reason. Either ends a recovery. Failures of a former URL do not
 * count towards the five days, and its success ends no outage of the new one.
 */
const switched = (disabled: boolean | undefined, moved: boolean) => {
  const target = sql`${disabled ?? null}::boolean`;
  const recovers = sql`not ${moved}::boolean and (${target} is null or not ${target} and disabled_at is null)`;
  return {
    disabled_at: sql<Date | null>`case when ${target} is null then disabled_at when ${target} then coalesce(disabled_at, now()) end`,
    disabled_reason: sql<string | null>`case when ${target} is not false then disabled_reason end`,
    failing_since: sql<Date | null>`case when not ${moved}::boolean and ${target} is not false then failing_since end`,
    recovered_until: sql<Date | null>`case when ${recovers} then recovered_until end`,
    recovery_spares: sql<boolean | null>`case when ${recovers} then recovery_spares end`,
  };
};

/** Updates the given members only. */
export async function changeEndpoint(
  em: EntityManager,
  tenantId: string,
  endpointId: string,
  change: WebhookEndpointChange,
): Promise<ChangedEndpoint> {
  const before = await lockEndpointRow(em, tenantId, endpointId);
  const { id } = before;
  const { url = before.url, metadata, disabled } = change;
  const { description = before.description, rateLimit = before.rate_limit } = change;
  const { filterTypes = before.filter_types, channels = before.channels } = change;
  if (metadata !== undefined) {
    await lockPeopleInMetadata(em, { id: tenantId }, [{ metadata }], null);
    await indexMetadata(em, { id: tenantId }, 'webhookEndpoint', [{ metadata }], () => id);
  }
  const changed = await tablesOf(em)
    .updateTable('webhook_endpoint')
    .set({
      url,
      description,
      filter_types: filterTypes,
      channels,
      rate_limit: rateLimit,
      metadata: sql`coalesce(${metadata === undefined ? null : JSON.stringify(metadata)}::json, metadata)`,
      ...switched(disabled, url !== before.url),
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
