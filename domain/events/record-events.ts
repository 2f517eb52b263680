import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { announce, type EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import { jsonList } from '../../platform/json/write-json.ts';
import { timedToken } from '../../platform/encryption/tokens.ts';
import { bounded, distinctNames, eventMoments, indexMoments } from '../users/name-index.ts';
import { endpointKinds } from './endpoint-kinds.ts';
import { EventsRecorded } from './events-recorded.ts';

/** Something that happened, for the webhook endpoints of a key. */
export interface NewEvent {
  /** Of the form `comment.add`. */
  readonly type: string;
  /** Surrogate keys of where it happened. */
  readonly organization: string | null;
  readonly document: string | null;
  /** What endpoints with channels are matched by: customer's ids. */
  readonly channels: readonly string[];
  /** An object, or the JSON of one that has been written already. */
  readonly payload: object | string;
  /** Surrogate keys of the users that the payload names; deletion and export find it by them. */
  readonly users: readonly string[];
  /** Other names in the payload, as the index of names knows them: keys, and ids of people who have no surrogate key here. */
  readonly names?: readonly string[] | undefined;
}

/**
 * Writes events and their outbox rows in the transaction of what caused them: one statement whatever their number.
 * Records nothing while no endpoint lives: none of the basic webhook's, and of the advanced ones none that is switched on.
 * Announces `EventsRecorded`. `payloads`: of `payloadList`, where they may be large.
 */
export async function recordEvents(
  em: EntityManager,
  tenantId: string,
  events: readonly NewEvent[],
  payloads: string | Buffer = `[${events.map(payloadJson).join(',')}]`,
): Promise<void> {
  if (events.length === 0) return;
  const asked = performance.now();
  const recorded = await rowOf(em, RecordedRow, recording(tenantId, events, payloads));
  if (recorded === undefined) return;
  // Counted from before the question: never later than what the dispatcher has promised.
  announce(em, new EventsRecorded(recorded.key_id, asked + recorded.draining));
}

const RecordedRow = z.strictObject({ draining: z.number(), key_id: z.string() });

const basic = sql`(${sql.lit(endpointKinds.basicRaw)}, ${sql.lit(endpointKinds.basicProcessed)})`;

const recording = (
  tenantId: string,
  events: readonly NewEvent[],
  payloads: string | Buffer,
) => sql`with live as (
    select 1 from webhook_endpoint w where w.api_key_id = ${tenantId} and w.deleted_at is null
      and (w.kind in ${basic} or exists (
        select from key_config c where c.api_key_id = ${tenantId} and c.kind = 'advancedwebhook'
          and (c.config ->> 'isEnabled')::boolean))
    limit 1),
  sent as materialized (
    select nextval('event_id_seq') as id, t.*
    from rows from (
        unnest(${events.map(() => timedToken('evt'))}::text[], ${events.map(({ type }) => type)}::text[],
          ${events.map(({ organization }) => organization)}::bigint[], ${events.map(({ document }) => document)}::bigint[],
          ${events.map(({ channels }) => textArray(channels))}::text[],
          ${events.map(({ users }) => `{${[...new Set(users)].join(',')}}`)}::text[]),
        json_array_elements(${payloads}::json))
      as t (public_id, type, org_id, document_id, channels, users, payload)
    where exists (select from live)),
  written as (
    insert into event (id, at, api_key_id, org_id, document_id, public_id, type, channels, payload) overriding system value
    select id, now(), ${tenantId}, org_id, document_id, public_id, type, channels::text[], payload from sent),
  named as (
    insert into event_user (user_id, at, event_id)
    select u.id, now(), s.id from sent s cross join lateral unnest(s.users::bigint[]) as u (id)),
  queued as (insert into outbox (event_id, event_at, api_key_id) select id, now(), ${tenantId} from sent)
  ${indexing(tenantId, events)}
  select coalesce((select extract(epoch from d.draining_until - clock_timestamp()) * 1000
      from webhook_dispatch d where d.api_key_id = ${tenantId}), 0)::float8 as draining,
    (select k.public_id from api_key k where k.id = ${tenantId}) as key_id
  where exists (select from sent)`;

function indexing(tenantId: string, events: readonly NewEvent[]): RawBuilder<unknown> {
  const names = bounded(distinctNames(events.flatMap((event) => event.names ?? [])));
  if (names.length === 0) return sql``;
  const pairs = sql`select now() as at, n.name from unnest(${names}::text[]) as n (name) where exists (select from sent)`;
  return sql`, indexed as (${indexMoments(tenantId, eventMoments, pairs)})`;
}

const payloadJson = ({ payload }: NewEvent): string =>
  typeof payload === 'string' ? payload : JSON.stringify(payload);

/** The payloads of events that may be large together, as `recordEvents` takes them: made in turns with other requests. */
export async function payloadList(events: readonly NewEvent[]): Promise<string | Buffer> {
  return jsonList(events.map(payloadJson));
}

/** PostgreSQL's own form of a list: lists in a list need not be equally long so. */
const textArray = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
