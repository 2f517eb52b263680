import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { arrayLiteral, keysLiteral } from '../../platform/database/array-literal.ts';
import { announce, type EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import { activeTraceparent } from '../../platform/tracing/tracing.ts';
import { jsonList } from '../../platform/json/write-json.ts';
import { timedToken } from '../../platform/encryption/tokens.ts';
import { bounded, distinctNames, eventMoments, indexMoments } from '../users/name-index.ts';
import { countUsage } from '../tenancy/usage.ts';
import { basicKinds } from './endpoint-kinds.ts';
import { EventsRecorded } from './events-recorded.ts';
import { promisedMs } from './promises.ts';

/** An event for the webhook endpoints of an API key. */
export interface NewEvent {
  /** For example `comment.add`. */
  readonly type: string;
  /** Surrogate keys. */
  readonly organization: string | null;
  readonly document: string | null;
  /** Customer's ids that the channels of endpoints match. */
  readonly channels: readonly string[];
  /** An object, or one serialized to JSON. */
  readonly payload: object | string;
  /** Surrogate keys of the users that the payload names; deletion and export find the event by them. */
  readonly users: readonly string[];
  /** Other names in the payload, for the index of names: keys, and ids of people without a surrogate key. */
  readonly names?: readonly string[] | undefined;
  /** W3C trace context of its call, where several calls record together; by default that of the active span. */
  readonly traceparent?: string | undefined;
}

/**
 * Writes events and their outbox rows in the caller's transaction, in one statement. Writes nothing without an active
 * endpoint: a URL of the basic webhook, or an advanced endpoint while advanced webhooks are enabled. Announces
 * `EventsRecorded`. Pass `payloads` from `payloadList` when they may be large.
 */
export async function recordEvents(
  em: EntityManager,
  tenantId: string,
  events: readonly NewEvent[],
  payloads: string | Buffer = `[${events.map(payloadJson).join(',')}]`,
): Promise<void> {
  if (events.length === 0) return;
  const startedAt = performance.now();
  const recorded = await rowOf(em, RecordedRow, recording(tenantId, events, payloads));
  if (recorded === undefined) return;
  countUsage(em, tenantId, 'events', events.length);
  // Measured from before the statement, so never later than the dispatcher's own time.
  announce(em, new EventsRecorded(recorded.key_id, startedAt + promisedMs(recorded.draining)));
}

const RecordedRow = z.strictObject({ draining: z.number(), key_id: z.string() });

/**
 * SQL: the two kinds of endpoints have a condition each, with its index. With one for both, a key without the basic webhook
 * would read all of its endpoints.
 */
const recording = (
  tenantId: string,
  events: readonly NewEvent[],
  payloads: string | Buffer,
) => sql`with live as (
    select s.advanced from (
      select exists (
        select from key_config c where c.api_key_id = ${tenantId} and c.kind = 'advancedwebhook'
          and (c.config ->> 'isEnabled')::boolean) as advanced) s
    where exists (
        select from webhook_endpoint w where w.api_key_id = ${tenantId} and w.deleted_at is null
          and w.kind in ${basicKinds})
      or s.advanced and exists (
        select from webhook_endpoint w where w.api_key_id = ${tenantId} and w.deleted_at is null)),
  sent as materialized (
    select nextval('event_id_seq') as id, t.*
    from rows from (
        unnest(${events.map(() => timedToken('evt'))}::text[], ${events.map(({ type }) => type)}::text[],
          ${events.map(({ organization }) => organization)}::bigint[], ${events.map(({ document }) => document)}::bigint[],
          ${events.map(({ channels }) => arrayLiteral(channels))}::text[],
          ${events.map(({ users }) => keysLiteral([...new Set(users)]))}::text[], ${tracesOf(events)}::text[]),
        json_array_elements(${payloads}::json))
      as t (public_id, type, org_id, document_id, channels, users, traceparent, payload)
    where exists (select from live)),
  written as (
    insert into event (id, at, api_key_id, org_id, document_id, public_id, type, channels, payload, traceparent, advanced)
      overriding system value
    select id, now(), ${tenantId}, org_id, document_id, public_id, type, channels::text[], payload, traceparent,
      (select advanced from live) from sent),
  named as (
    insert into event_user (user_id, at, event_id)
    select u.id, now(), s.id from sent s cross join lateral unnest(s.users::bigint[]) as u (id)),
  queued as (insert into outbox (event_id, event_at, api_key_id) select id, now(), ${tenantId} from sent)
  ${indexing(tenantId, events)}
  select coalesce((select extract(epoch from d.draining_until - clock_timestamp()) * 1000
      from webhook_dispatch d where d.api_key_id = ${tenantId}), 0)::float8 as draining,
    (select k.public_id from api_key k where k.id = ${tenantId}) as key_id
  where exists (select from sent)`;

/** One trace per event; none where tracing is off. */
function tracesOf(events: readonly NewEvent[]): (string | undefined)[] {
  const active = activeTraceparent();
  return active === undefined ? [] : events.map(({ traceparent = active }) => traceparent);
}

function indexing(tenantId: string, events: readonly NewEvent[]): RawBuilder<unknown> {
  const names = bounded(distinctNames(events.flatMap((event) => event.names ?? [])));
  if (names.length === 0) return sql``;
  const pairs = sql`select now() as at, n.name from unnest(${names}::text[]) as n (name) where exists (select from sent)`;
  return sql`, indexed as (${indexMoments(tenantId, eventMoments, pairs)})`;
}

const payloadJson = ({ payload }: NewEvent): string =>
  typeof payload === 'string' ? payload : JSON.stringify(payload);

/** Serializes payloads for `recordEvents` in slices, so that large ones do not block other requests. */
export async function payloadList(events: readonly NewEvent[]): Promise<string | Buffer> {
  return jsonList(events.map(payloadJson));
}
