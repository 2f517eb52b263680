import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { dayMs } from '../../../platform/units.ts';
import { recordEvents } from '../../events/record-events.ts';
import { tablesOf } from '../../tables.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';
import { disabledFor } from '../endpoints/endpoint-rules.ts';
import type { Destination } from './resolve.ts';
import type { SentMessage } from './send.ts';

/**
 * Milliseconds of attempts without a success after which an endpoint is disabled. The end of a pause restarts the time.
 */
export const maxFailingMs = 5 * dayMs;

const disabledReasons = {
  gone: 'The endpoint responded with 410 Gone.',
  failing: 'The endpoint has failed for 5 days without a success.',
} as const;

/**
 * Updates `failing_since`, and disables an endpoint that responded with 410 or has failed for 5 days. Call it before the
 * attempts are written: every writer locks the endpoint's row first, so lock order stays the same. Ignores attempts
 * at a former URL. Returns whether it disabled the endpoint.
 */
export async function updateEndpointHealth(
  em: EntityManager,
  destination: Destination,
  recorded: readonly SentMessage[],
): Promise<boolean> {
  const sent = recorded.filter(({ url }) => url === destination.url);
  if (sent.length === 0) return false;
  const { kind, failingMs, resumedMs } = destination;
  const mayDisable = kind !== endpointKinds.application;
  const arrived = sent.some(({ outcome }) => outcome.error === null);
  if (mayDisable && sent.some(({ outcome }) => outcome.gone)) {
    await disable(em, destination, disabledReasons.gone);
    return true;
  }
  if (arrived && failingMs !== null)
    await endpointRow(em, destination).set({ failing_since: null }).execute();
  else if (!arrived && failingMs === null)
    await endpointRow(em, destination)
      .set({ failing_since: sql<Date>`now()` })
      .where('failing_since', 'is', null)
      .execute();
  else if (!arrived && mayDisable && Math.min(failingMs ?? 0, resumedMs ?? Infinity) >= maxFailingMs) {
    await disable(em, destination, disabledReasons.failing);
    return true;
  }
  return false;
}

const endpointRow = (em: EntityManager, { id, tenantId }: Destination) =>
  tablesOf(em)
    .updateTable('webhook_endpoint')
    .where((row) => row.and({ id, api_key_id: tenantId }));

async function disable(em: EntityManager, destination: Destination, reason: string): Promise<void> {
  const disabled = await endpointRow(em, destination)
    .set(disabledFor(reason))
    .where('disabled_at', 'is', null)
    .where('deleted_at', 'is', null)
    .returning(['public_id', 'url'])
    .executeTakeFirst();
  if (disabled === undefined || destination.kind !== endpointKinds.advanced) return;
  await recordEvents(em, destination.tenantId, [
    {
      type: 'endpoint.disabled',
      organization: null,
      document: null,
      channels: [],
      payload: { endpointId: disabled.public_id, url: disabled.url, reason },
      users: [],
    },
  ]);
}
