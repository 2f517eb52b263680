import { sql } from 'kysely';
import { z } from 'zod';
import { required } from '../../../platform/process/required.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { changedBy, rowsOf } from '../../../platform/database/statements.ts';
import { basicKinds } from '../../events/endpoint-kinds.ts';
import { promisedMs } from '../../events/promises.ts';
import { isActiveKey } from '../../workspaces/key-activity.ts';
import { isPaused } from '../pauses/pauses-of.ts';

/** An endpoint with new messages to deliver now: it is not paused. */
export interface ReachedEndpoint {
  readonly endpointId: string;
  /** Milliseconds for which a delivery turn has promised to keep polling; zero or negative without a promise. */
  readonly drainingMs: number;
}

export interface FannedOut {
  /** Events consumed. */
  readonly events: number;
  /** Events found, at most `batchSize`; the next call consumes those beyond `maxMessages`. */
  readonly found: number;
  /** Surrogate key of the last event consumed; undefined when there was none. */
  readonly last: string | undefined;
  readonly reached: readonly ReachedEndpoint[];
  /** Messages created for these events. */
  readonly deliveries: number;
  /** Milliseconds until the end of the promise of a dispatch turn to keep polling; negative after it, null without one. */
  readonly drainingMs: number | null;
}

export interface FanOutRequest {
  /** Surrogate key. */
  readonly tenantId: string;
  /** Max events. */
  readonly batchSize: number;
  /** Max messages; one event may exceed it. */
  readonly maxMessages: number;
  /** Surrogate key of the event to begin at; the oldest by default. */
  readonly from?: string | undefined;
  /** Kinds of endpoint rows to serve. */
  readonly kinds: readonly number[];
  /** Milliseconds before the first attempt. */
  readonly firstWaitMs: number;
  /** The table that holds the events; the outbox by default. */
  readonly table?: 'outbox' | 'poison_event';
  /** Surrogate key of the only event to consume. */
  readonly eventId?: string;
}

const ReachedRow = z.strictObject({
  /** Null for a paused endpoint, and in the only row when no endpoint has new messages. */
  public_id: z.string().nullable(),
  draining: z.number(),
  own: z.number().nullable(),
  found: z.number(),
  events: z.number(),
  last: z.string().nullable(),
  deliveries: z.number(),
});

/** SQL: the surrogate keys of the active endpoints that receive the event `e`. */
const subscribed = (tenantId: string) => sql`select distinct s.endpoint_id from webhook_subscription s
  where s.api_key_id = ${tenantId} and s.type in (e.type, '') and s.channel = any(array_append(e.channels, ''))`;

/**
 * Creates one message per event and subscribed endpoint for the oldest outbox events of an active key. Sequence numbers
 * have no gaps: they are assigned under the endpoint's row lock, in the statement that inserts the message. Concurrent
 * calls lock endpoints in one order. Events are consumed by deletion, so an event that commits late is not skipped.
 * The messages of an endpoint become due in the order of their numbers, 1 µs apart. An endpoint receives the types and
 * channels of its `webhook_subscription` rows; only the basic webhook receives an event recorded while advanced webhooks
 * were off. An event whose row has expired is consumed without messages.
 */
export async function fanOut(em: EntityManager, request: FanOutRequest): Promise<FannedOut> {
  const { tenantId, batchSize, maxMessages, kinds, firstWaitMs, from, table = 'outbox', eventId } = request;
  const source = sql.table(table);
  const chosen = eventId === undefined ? sql`event_id >= ${from ?? '0'}` : sql`event_id = ${eventId}`;
  const reached = await rowsOf(
    em,
    ReachedRow,
    sql`with next as (
       select event_id, event_at from ${source} where api_key_id = ${tenantId} and ${isActiveKey(tenantId)} and ${chosen}
       order by event_id limit ${batchSize} for update skip locked),
     seen as (
       select n.event_id, e.at, e.id, e.type, e.channels, e.advanced from next n left join lateral (
         select * from event e where e.at = n.event_at and e.id = n.event_id and e.api_key_id = ${tenantId} limit 1) e on true),
     fitting as materialized (
       select f.* from (
         select e.*, row_number() over (order by e.event_id) as position,
           sum((select count(*) from (${subscribed(tenantId)}) s)) over (order by e.event_id) as messages
         from seen e) f
       where f.position = 1 or f.messages <= ${maxMessages}),
     taken as (
       delete from ${source} o where o.event_id = any(array(select event_id from fitting)) and o.api_key_id = ${tenantId} returning 1),
     matched as (
       select s.endpoint_id, e.at, e.id, row_number() over (partition by s.endpoint_id order by e.at, e.id) as position
       from fitting e cross join lateral (${subscribed(tenantId)}) s
       where e.id is not null and (e.advanced or exists (
         select from webhook_endpoint w where w.id = s.endpoint_id and w.kind in ${basicKinds}))),
     counted as (select endpoint_id, count(*) as messages from matched group by endpoint_id),
     locked as (
       select w.id from webhook_endpoint w
       where w.id = any(array(select endpoint_id from counted)) and w.api_key_id = ${tenantId} and w.kind = any(${kinds})
         and w.deleted_at is null and w.disabled_at is null
       order by w.id for no key update),
     numbered as (
       update webhook_endpoint w set next_sequence = w.next_sequence + c.messages
       from counted c
       where w.id = c.endpoint_id and w.id = any(array(select id from locked)) and w.api_key_id = ${tenantId}
       returning w.id, w.next_sequence - c.messages as first, clock_timestamp() as numbered_at,
         case when not ${isPaused} then w.public_id end as public_id),
     made as (
       insert into delivery (event_at, event_id, api_key_id, endpoint_id, sequence, retry_at, next_at)
       select m.at, m.id, ${tenantId}, m.endpoint_id, n.first + m.position - 1, due.at, due.at
       from matched m join numbered n on n.id = m.endpoint_id
         cross join lateral (
           select n.numbered_at + ${firstWaitMs} * interval '1 millisecond' + m.position * interval '1 microsecond' as at) due
       returning 1)
     select n.public_id,
       coalesce((extract(epoch from d.draining_until - clock_timestamp()) * 1000)::float8, 0) as draining,
       (select extract(epoch from o.draining_until - clock_timestamp()) * 1000
         from webhook_dispatch o where o.api_key_id = ${tenantId})::float8 as own,
       (select count(*)::int from next) as found, (select count(*)::int from taken) as events,
       (select max(event_id) from fitting) as last, (select count(*)::int from made) as deliveries
     from (select 1) one left join numbered n on true left join webhook_drain d on d.endpoint_id = n.id
       and d.endpoint_id = any(array(select id from numbered))`,
  );
  const first = required(reached[0], 'row of the events that were distributed');
  return {
    events: first.events,
    found: first.found,
    last: first.last ?? undefined,
    deliveries: first.deliveries,
    drainingMs: first.own === null ? null : promisedMs(first.own),
    reached: reached.flatMap(({ public_id, draining }) =>
      public_id === null ? [] : [{ endpointId: public_id, drainingMs: promisedMs(draining) }],
    ),
  };
}

/** Promises to poll the key's outbox at least once more after `forMs` milliseconds; 0 notes the time of this turn. */
export async function promiseDispatch(em: EntityManager, tenantId: string, forMs: number): Promise<void> {
  await changedBy(
    em,
    sql`insert into webhook_dispatch (api_key_id, draining_until)
      values (${tenantId}, clock_timestamp() + ${forMs} * interval '1 millisecond')
      on conflict (api_key_id) do update set draining_until = excluded.draining_until`,
  );
}
