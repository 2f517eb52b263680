import { rows } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { messageStatuses } from '../delivery/message.ts';

/** Public ids of a key's endpoints that have messages to send, e.g. those that were held for want of a public key. */
export async function waitingEndpoints(em: EntityManager, tenantId: string): Promise<string[]> {
  const waiting = await rows<{ public_id: string }>(
    em,
    `select w.public_id from webhook_endpoint w
       cross join lateral (
         select 1 from delivery d where d.endpoint_id = w.id and d.status = ${String(messageStatuses.pending)} limit 1) d
     where w.api_key_id = $1 and w.deleted_at is null and w.disabled_at is null
     order by w.id limit 200`,
    [tenantId],
  );
  return waiting.map(({ public_id }) => public_id);
}
