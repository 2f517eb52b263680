import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { changedBy } from '../../../platform/database/statements.ts';
import { failedPrecondition } from '../../errors.ts';
import { messages } from '../../messages.ts';
import { messageStatuses } from '../delivery/message.ts';
import { findServedEndpoint } from '../endpoints/endpoint-row.ts';
import { attemptAt } from './extra-attempt.ts';

/** Max messages per call. */
const maxRecovered = 10_000;

/**
 * Queues failed and canceled messages of a period, oldest first, and returns their number. Finds them by an index that
 * contains no others, so that delivered messages and earlier calls cost nothing. A queued message is pending, so a repeated
 * call does not queue it again. Omits messages of `endpoints/test`, which have no sequence number, because a receiver would
 * take their examples for events. Times in milliseconds.
 */
export async function recoverMessages(
  em: EntityManager,
  tenantId: string,
  endpoint: string,
  { since, until }: { readonly since: number; readonly until: number },
): Promise<number> {
  const { failed, cancelled } = messageStatuses;
  return changedBy(
    em,
    sql`with lost as (
        select event_at, event_id from delivery where api_key_id = ${tenantId} and endpoint_id = ${endpoint}
          and status in (${sql.lit(failed)}, ${sql.lit(cancelled)}) and sequence is not null and event_at >= to_timestamp(${since}::float8 / 1000)
          and event_at < to_timestamp((${until}::float8 + 1) / 1000)
        order by event_at, event_id limit ${sql.lit(maxRecovered)} for no key update),
      -- Messages become due 1 µs apart: the claims order them by this time alone.
      numbered as materialized (select event_at, event_id, row_number() over (order by event_at, event_id) as number from lost)
      update delivery d set ${attemptAt(sql`now() + n.number * interval '1 microsecond'`)} from numbered n
      where d.endpoint_id = ${endpoint} and d.event_at = n.event_at and d.event_id = n.event_id
        and d.event_at = any(array(select event_at from lost))`,
  );
}

/** `recoverMessages` for operators. Throws NOT_FOUND, and FAILED_PRECONDITION for a disabled endpoint. */
export async function recoverOfAnyKey(
  em: EntityManager,
  endpointId: string,
  span: { readonly since: number; readonly until: number },
): Promise<{ readonly keyId: string; readonly messages: number }> {
  const { id, tenantId, keyId, disabledAt } = await findServedEndpoint(em, endpointId);
  if (disabledAt !== null) throw failedPrecondition(messages.webhookEndpointDisabled);
  return { keyId, messages: await recoverMessages(em, tenantId, id, span) };
}
