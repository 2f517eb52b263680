import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { changedBy, rowsOf } from '../../../platform/database/statements.ts';
import { isActiveKey } from '../../workspaces/key-activity.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';
import { isPaused } from '../pauses/pauses-of.ts';

/** An endpoint with new messages to deliver now: it is not paused. */
export interface ReachedEndpoint {
  readonly endpointId: string;
  /** Milliseconds for which a delivery turn has promised to keep polling; zero or negative without a promise. */
  readonly drainingMs: number;
}

export interface FannedOut {
  readonly events: number;
  readonly reached: readonly ReachedEndpoint[];
  /** Messages created for these events. */
  readonly deliveries: number;
  /** Milliseconds for which a dispatch turn of the key has promised to keep polling; zero or negative without a promise. */
  readonly drainingMs: number;
}

export interface FanOutRequest {
  /** Surrogate key. */
  readonly tenantId: string;
  /** Max events. */
  readonly batchSize: number;
  /** Kinds of endpoint rows to serve. */
  readonly kinds: readonly number[];
  /** Milliseconds before the first attempt. */
  readonly firstWaitMs: number;
  /** The table that holds the events; the outbox by default. */
  readonly from?: 'outbox' | 'poison_event';
  /** Surrogate key of the only event to consume. */
  readonly eventId?: string;
}

const ReachedRow = z.strictObject({
  /** Null for a paused endpoint, and in the only row when no endpoint has new messages. */
  public_id: z.string().nullable(),
  draining: z.number(),
  own: z.number(),
  events: z.number(),
  deliveries: z.number(),
});

/** SQL: kinds of endpoint rows that receive every type when `filter_types` is empty. */
const everything = sql`(${sql.lit(endpointKinds.advanced)}, ${sql.lit(endpointKinds.application)})`;

/**
 * Consumes outbox events of an active key and creates one message per event and subscribed endpoint. Sequence numbers have no gaps: they are
 * assigned under the endpoint's row lock, in the statement that inserts the message. Events are consumed by deletion, so
 * an event that commits late is not skipped.
 *
 * An advanced endpoint without types or channels receives every event; a basic webhook URL receives the types of its triggers.
 */
export async function fanOut(
  em: EntityManager,
  { tenantId, batchSize, kinds, firstWaitMs, from = 'outbox', eventId }: FanOutRequest,
): Promise<FannedOut> {
  const source = sql.table(from);
  const chosen = eventId === undefined ? sql`` : sql`and event_id = ${eventId}`;
  const reached = await rowsOf(
    em,
    ReachedRow,
    sql`with next as (
       select event_id from ${source} where api_key_id = ${tenantId} and ${isActiveKey(tenantId)} ${chosen} order by event_id limit ${batchSize} for update skip locked),
     taken as (
       delete from ${source} o where o.event_id = any(array(select event_id from next)) and o.api_key_id = ${tenantId}
       returning o.event_id, o.event_at),
     seen as (
       select e.at, e.id, e.type, e.channels from taken t cross join lateral (
         select * from event e where e.at = t.event_at and e.id = t.event_id and e.api_key_id = ${tenantId} limit 1) e),
     listening as (
       select w.id, w.kind, w.filter_types, w.channels from webhook_endpoint w
       where w.api_key_id = ${tenantId} and w.deleted_at is null and w.disabled_at is null and w.kind = any(${kinds})
         and exists (select from taken)),
     matched as (
       select w.id as endpoint_id, s.at, s.id, row_number() over (partition by w.id order by s.at, s.id) as position
       from listening w join seen s on (s.type = any(w.filter_types)
           or coalesce(cardinality(w.filter_types), 0) = 0 and w.kind in ${everything})
         and (coalesce(cardinality(w.channels), 0) = 0 or w.channels && s.channels)),
     counted as (select endpoint_id, count(*) as messages from matched group by endpoint_id),
     numbered as (
       update webhook_endpoint w set next_sequence = w.next_sequence + c.messages from counted c
       where w.id = c.endpoint_id and w.api_key_id = ${tenantId} and w.deleted_at is null and w.disabled_at is null
       returning w.id, w.next_sequence - c.messages as first, case when not ${isPaused} then w.public_id end as public_id),
     made as (
       insert into delivery (event_at, event_id, api_key_id, endpoint_id, sequence, retry_at, next_at)
       select m.at, m.id, ${tenantId}, m.endpoint_id, n.first + m.position - 1, due.at, due.at
       from matched m join numbered n on n.id = m.endpoint_id
         cross join (select now() + ${firstWaitMs} * interval '1 millisecond' as at) due
       returning 1)
     select n.public_id,
       coalesce((extract(epoch from d.draining_until - clock_timestamp()) * 1000)::float8, 0) as draining,
       coalesce((select extract(epoch from o.draining_until - clock_timestamp()) * 1000
         from webhook_dispatch o where o.api_key_id = ${tenantId})::float8, 0) as own,
       (select count(*)::int from taken) as events, (select count(*)::int from made) as deliveries
     from (select 1) one left join numbered n on true left join webhook_drain d on d.endpoint_id = n.id`,
  );
  const [first] = reached;
  return {
    events: first?.events ?? 0,
    deliveries: first?.deliveries ?? 0,
    drainingMs: first?.own ?? 0,
    reached: reached.flatMap(({ public_id, draining }) =>
      public_id === null ? [] : [{ endpointId: public_id, drainingMs: draining }],
    ),
  };
}

/** Promises to poll the key's outbox at least once more after `forMs` milliseconds. */
export async function promiseDispatch(em: EntityManager, tenantId: string, forMs: number): Promise<void> {
  await changedBy(
    em,
    sql`insert into webhook_dispatch (api_key_id, draining_until)
      values (${tenantId}, clock_timestamp() + ${forMs} * interval '1 millisecond')
      on conflict (api_key_id) do update set draining_until = excluded.draining_until`,
  );
}
