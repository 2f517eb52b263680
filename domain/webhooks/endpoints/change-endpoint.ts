import { indexMetadata, lockPeopleInMetadata } from '../../metadata.ts';
import { row, rows } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { WebhookEndpoint, WebhookEndpointChange } from '../provider.ts';
import { endpointColumns, endpointView, lockEndpoint, type EndpointRow } from './endpoint-row.ts';

/** The columns that a change of each member sets; `$n` stands for its value. */
const assignments = {
  url: 'url = $n',
  description: 'description = $n',
  filterTypes: 'filter_types = $n',
  channels: 'channels = $n',
  rateLimit: 'rate_limit = $n',
  metadata: 'metadata = $n::json',
  // Enabling forgets why it was disabled and since when it failed; disabling again keeps the first reason.
  disabled: `disabled_at = case when $n::boolean then coalesce(disabled_at, now()) end,
    disabled_reason = case when $n then disabled_reason end, failing_since = case when $n then failing_since end`,
} as const satisfies Record<keyof WebhookEndpointChange, string>;

/** Changes what is sent, and only that. */
export async function changeEndpoint(
  em: EntityManager,
  tenantId: string,
  endpointId: string,
  change: WebhookEndpointChange,
): Promise<WebhookEndpoint> {
  const { id } = await lockEndpoint(em, tenantId, endpointId);
  const { metadata, ...columns } = change;
  if (metadata !== undefined) {
    await lockPeopleInMetadata(em, { id: tenantId }, [{ metadata }], null);
    await indexMetadata(em, { id: tenantId }, 'webhookEndpoint', [{ metadata }], () => id);
  }
  const sent: Record<string, unknown> = {
    ...columns,
    ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
  };
  const names = (Object.keys(assignments) as (keyof WebhookEndpointChange)[]).filter(
    (name) => sent[name] !== undefined,
  );
  const set = names.map((name, place) => assignments[name].replaceAll('$n', `$${String(place + 3)}`));
  const changed = await row<EndpointRow>(
    em,
    `update webhook_endpoint set ${[...set, updatedNow].join(', ')} where api_key_id = $1 and id = $2 returning ${endpointColumns}`,
    [tenantId, id, ...names.map((name) => sent[name])],
  );
  if (changed === undefined) throw new Error('A locked endpoint is gone.');
  return endpointView(changed);
}

/** A change is later than what it changes, also within one millisecond. */
const updatedNow = `updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')`;

/**
 * Takes an endpoint away: invisible, and its uid free, at once. Its row stays until housekeeping has removed what hangs
 * on it.
 */
export async function removeEndpoint(em: EntityManager, tenantId: string, endpointId: string): Promise<void> {
  const { id } = await lockEndpoint(em, tenantId, endpointId);
  await rows(
    em,
    `update webhook_endpoint set deleted_at = now(), secret_enc = null, old_secret_enc = null where api_key_id = $1 and id = $2`,
    [tenantId, id],
  );
}
