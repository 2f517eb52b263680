import { row, rows } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { recordEvents } from '../../events/record-events.ts';
import type { Destination } from './destination.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';
import type { SentMessage } from './record-attempts.ts';

/** Milliseconds without a success after which an endpoint is switched off. */
const longestFailing = 5 * 24 * 60 * 60 * 1_000;

export const disabledReasons = {
  gone: 'The endpoint answered 410 Gone.',
  failing: 'The endpoint has failed for 5 days without a success.',
} as const;

/**
 * Keeps account of what an endpoint's attempts say of it: since when it fails, and that it is switched off when it says so
 * itself or has failed for too long; its key's other endpoints hear of that. To be called before anything is written of
 * the attempts: whoever changes an endpoint locks it first, too.
 */
export async function keepAccount(
  em: EntityManager,
  destination: Destination,
  sent: readonly SentMessage[],
): Promise<void> {
  const { id, tenantId, kind, failingFor } = destination;
  const mayEnd = kind !== endpointKinds.application;
  const arrived = sent.some(({ outcome }) => outcome.error === null);
  if (mayEnd && sent.some(({ outcome }) => outcome.gone))
    await disable(em, destination, disabledReasons.gone);
  else if (arrived && failingFor !== null) {
    await rows(em, 'update webhook_endpoint set failing_since = null where id = $1 and api_key_id = $2', [
      id,
      tenantId,
    ]);
  } else if (!arrived && failingFor === null) {
    await rows(
      em,
      'update webhook_endpoint set failing_since = now() where id = $1 and api_key_id = $2 and failing_since is null',
      [id, tenantId],
    );
  } else if (
    !arrived &&
    mayEnd &&
    (failingFor ?? 0) >= longestFailing &&
    (await othersFailed(em, destination, sent))
  ) {
    await disable(em, destination, disabledReasons.failing);
  }
}

/** Whether it is more than one message that does not arrive: all attempts since it began have failed. */
async function othersFailed(
  em: EntityManager,
  { id, tenantId }: Destination,
  sent: readonly SentMessage[],
): Promise<boolean> {
  const [first] = sent;
  if (sent.some(({ message }) => message.eventId !== first?.message.eventId)) return true;
  const other = await row(
    em,
    `select 1 as one from attempt a where a.endpoint_id = $1 and a.api_key_id = $2 and a.event_id <> $3
       and a.at >= (select w.failing_since from webhook_endpoint w where w.id = $1 and w.api_key_id = $2)
     order by a.at limit 1`,
    [id, tenantId, first?.message.eventId],
  );
  return other !== undefined;
}

async function disable(
  em: EntityManager,
  { id, tenantId, kind }: Destination,
  reason: string,
): Promise<void> {
  const disabled = await row<{ public_id: string; url: string }>(
    em,
    `update webhook_endpoint set disabled_at = now(), disabled_reason = $3, updated_at = now()
     where id = $1 and api_key_id = $2 and disabled_at is null and deleted_at is null returning public_id, url`,
    [id, tenantId, reason],
  );
  if (disabled === undefined || kind !== endpointKinds.advanced) return;
  await recordEvents(em, tenantId, [
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
