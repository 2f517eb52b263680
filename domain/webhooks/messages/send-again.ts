import { row } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { notFound } from '../../errors.ts';
import { messages } from '../../messages.ts';
import { messageStatuses } from '../delivery/message.ts';
import { eventById } from './walk.ts';

/** Attempts asked for by hand that may wait at once; the column has no room for any number. */
const mostResends = 1_000;

/** Messages that one call recovers. */
const mostRecovered = 10_000;

/** SQL: an attempt beside the retry schedule, which goes on where it was. */
const dueAgain = `status = ${String(messageStatuses.pending)}, status_reason = null, next_at = now(),
  resends = least(d.resends + 1, ${String(mostResends)})`;

/** Queues one more attempt of a message, whatever became of it. Throws NOT_FOUND. */
export async function resendMessage(
  em: EntityManager,
  tenantId: string,
  endpoint: string,
  messageId: string,
): Promise<void> {
  const queued = await row(
    em,
    `with wanted as materialized (select e.at, e.id from ${eventById('$3')} e where e.api_key_id = $1)
     update delivery d set ${dueAgain} where d.api_key_id = $1 and d.endpoint_id = $2
       and d.event_at = (select at from wanted) and d.event_id = (select id from wanted) returning 1 as queued`,
    [tenantId, endpoint, messageId],
  );
  if (queued === undefined) throw notFound(messages.webhookMessageMissing);
}

/**
 * Queues the messages of a time that were given up, oldest first, and says how many. One that waits for such an attempt
 * already is no longer failed, so that a repeated call queues it once.
 */
export async function recoverMessages(
  em: EntityManager,
  tenantId: string,
  endpoint: string,
  { since, until }: { readonly since: number; readonly until: number },
): Promise<number> {
  const { failed, cancelled } = messageStatuses;
  const queued = await row<{ messages: number }>(
    em,
    `with lost as (
       select event_at, event_id from delivery
       where api_key_id = $1 and endpoint_id = $2 and status in (${String(failed)}, ${String(cancelled)})
         and event_at >= to_timestamp($3::float8 / 1000) and event_at < to_timestamp(($4::float8 + 1) / 1000)
       order by event_at, event_id limit ${String(mostRecovered)} for no key update),
     queued as (
       update delivery d set ${dueAgain} where d.endpoint_id = $2 and d.event_at = any(array(select event_at from lost))
         and d.event_id = any(array(select event_id from lost)) returning 1)
     select count(*)::int as messages from queued`,
    [tenantId, endpoint, since, until],
  );
  return queued?.messages ?? 0;
}
