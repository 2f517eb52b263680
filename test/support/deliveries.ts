import { randomBytes } from 'node:crypto';
import { channelNumbers } from '../../domain/notices/channels.ts';
import { finalStatuses, type FinalStatus } from '../../domain/notices/statuses.ts';
import type { TestApi } from './api.ts';

/** An existing notification by the customer's ids. */
export interface Notified {
  readonly tenantId: string;
  readonly notificationId: string;
  readonly userId: string;
}

interface EndedDelivery {
  readonly status?: FinalStatus;
  readonly channel?: keyof typeof channelNumbers;
}

/** Inserts a delivery of the notification to the user that ended a minute ago. Returns its id. */
export async function anEndedDelivery(
  { database }: Pick<TestApi, 'database'>,
  { tenantId, notificationId, userId }: Notified,
  { status = 'sent', channel = 'email' }: EndedDelivery = {},
): Promise<string> {
  const deliveryId = `dlv_${randomBytes(24).toString('base64url')}`;
  const at = Date.now() - 60_000;
  const attempts = [{ number: 1, at, outcome: 'accepted', code: '2.0.0', durationMs: 120 }];
  await database.sql(
    `with made as (
       insert into delivery_log (id, at, api_key_id, org_id, user_id, channel, provider, status, reason, digest, public_id,
         provider_ref, attempts, ended_at)
       select nextval('outgoing_id_seq'), now() - interval '1 minute', $1, n.org_id, u.id, $2, $2, $3::smallint,
         case when $3::smallint = 5 then 12 end, false, $4, '<' || $4 || '@example.com>', $5, now()
       from notification n, app_user u
       where n.api_key_id = $1 and n.ext_id = $6 and u.api_key_id = $1 and u.ext_id = $7
       returning at, id)
     insert into delivery_item (at, delivery_id, notification_id, document_id)
     select made.at, made.id, n.id, n.document_id from made, notification n where n.api_key_id = $1 and n.ext_id = $6`,
    [
      tenantId,
      channelNumbers[channel],
      finalStatuses[status],
      deliveryId,
      JSON.stringify(attempts),
      notificationId,
      userId,
    ],
  );
  return deliveryId;
}
