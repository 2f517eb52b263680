import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { indexMetadata, lockPeopleInMetadata } from '../../users/people-in-metadata.ts';
import { tablesOf } from '../../tables.ts';
import type { ChangedEndpoint, WebhookEndpoint, WebhookEndpointChange } from '../provider.ts';
import { endpointColumns, endpointView, lockEndpointRow } from './endpoint-row.ts';
import { removed, switched } from './endpoint-rules.ts';

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
      ...switched({
        disables: sql`${disabled ?? null}::boolean`,
        moves: sql`${url !== before.url}::boolean`,
      }),
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
    .set(removed)
    .where((row) => row.and({ api_key_id: tenantId, id: found.id }))
    .execute();
  return endpointView(found);
}
