import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { onlyRowOf, rowsOf } from '../../../platform/database/statements.ts';
import { tablesOf } from '../../tables.ts';
import { eventMoments, textsInResponse } from '../../users/name-index.ts';
import { endOf, scrubEvents } from './events.ts';
import { indexedNamesOf } from './addresses.ts';
import type {
  IdentifiedScope,
  StoreCursor,
  PersonalDataStore,
  PersonScope,
  StoreStep,
} from './personal-data-store.ts';
import { payloadNames } from './scrubbed-payload.ts';
import { identifiesPerson } from './without-people.ts';

/** Limits of one batch: indexed seconds, and payloads, each of which may be large. */
const chunk = { eventSeconds: 50, payloads: 100, responseSeconds: 5 } as const;

/** Rows that name the people, and the cursor of the next batch. */
interface Found<Row> {
  readonly naming: readonly Row[];
  readonly last: StoreCursor | null;
}

/** Rows that moment_name indexes by the second in which they hold a name. */
interface IndexedMoments<Row> {
  readonly name: string;
  /** Whether its rows count as events. */
  readonly counts: boolean;
  find(em: EntityManager, scope: IdentifiedScope, after: StoreCursor | null): Promise<Found<Row>>;
  /** Scrubs the rows that were found after a cursor, or the first of them. */
  scrub(
    em: EntityManager,
    scope: IdentifiedScope,
    found: Found<Row>,
    after: StoreCursor | null,
  ): Promise<Scrubbed>;
}

/** `records`: number of rows that are scrubbed. */
type Scrubbed = Pick<StoreStep, 'last' | 'repeats'> & { readonly records: number };

const EventRow = z.strictObject({ at: z.string(), id: z.string(), payload: z.unknown() });
const NextEvents = z.strictObject({
  seconds: z.number(),
  until: z.string().nullable(),
  held: z.array(EventRow).nullable(),
});

const nextEvents = (
  { tenantId, organizations }: PersonScope,
  names: readonly string[],
  [at, id]: StoreCursor,
): RawBuilder<unknown> => sql`
  with found as materialized (
    select distinct m.at from unnest(${names}::text[]) as n (name) cross join lateral (
      select m.at from moment_name m
      where m.api_key_id = ${tenantId} and m.name_hash = hashtextextended(n.name, ${tenantId}::bigint)
        and m.endpoint_id = ${eventMoments} and m.at >= date_trunc('second', ${at}::timestamptz)
      order by m.at limit ${sql.lit(chunk.eventSeconds)}) m
    order by m.at limit ${sql.lit(chunk.eventSeconds)}),
  held as materialized (
    select e.* from found f cross join lateral (
      select e.at, e.id, e.payload from event e
      where e.api_key_id = ${tenantId} and e.at >= f.at and e.at < f.at + interval '1 second'
        and (e.at, e.id) > (${at}::timestamptz, ${id}::bigint)
        and (${organizations}::bigint[] is null or e.org_id = any(${organizations}::bigint[]))
      order by e.at, e.id limit ${sql.lit(chunk.payloads)}) e
    order by e.at, e.id limit ${sql.lit(chunk.payloads)})
  select (select count(*)::integer from found) as seconds, (select (max(at) + interval '1 second')::text from found) as until,
    (select json_agg(json_build_object('at', at::text, 'id', id::text, 'payload', payload) order by at, id) from held) as held`;

/** Payloads of events, by the primary key of event. */
const ofEvents: IndexedMoments<z.infer<typeof EventRow>> = {
  name: 'eventJson',
  counts: true,
  async find(em, scope, after) {
    const { identifiers } = scope;
    const next = nextEvents(scope, indexedNamesOf(identifiers), after ?? ['-infinity', '0']);
    const { seconds, until, ...found } = await onlyRowOf(em, NextEvents, next);
    const held = found.held ?? [];
    const end = held.at(-1);
    const naming = held.filter(({ payload }) => payloadNames(payload, identifiers));
    if (held.length === chunk.payloads && end !== undefined) return { naming, last: [end.at, end.id] };
    return { naming, last: seconds < chunk.eventSeconds ? null : [until ?? '', '0'] };
  },
  async scrub(em, { named, identifiers }, { naming, last }, after) {
    const rows = naming.map(({ at, id }) => ['', at, id]);
    const records = await scrubEvents(em, named, identifiers, rows);
    const cursors = naming.map(({ at, id }) => [at, id]);
    return { records, ...endOf(cursors, records, { after, last }) };
  },
};

const SecondRow = z.strictObject({ endpoint_id: z.string(), at: z.date(), until: z.string() });

const nextSeconds = (
  { tenantId }: PersonScope,
  names: readonly string[],
  [endpoint, at]: StoreCursor,
): RawBuilder<unknown> => sql`
  select distinct m.endpoint_id, m.at, m.at::text as until from unnest(${names}::text[]) as n (name) cross join lateral (
    select m.endpoint_id, m.at from moment_name m
    where m.api_key_id = ${tenantId} and m.name_hash = hashtextextended(n.name, ${tenantId}::bigint)
      and (m.endpoint_id, m.at) > (${endpoint}::bigint, ${at}::timestamptz)
    order by m.endpoint_id, m.at limit ${sql.lit(chunk.responseSeconds)}) m
  order by m.endpoint_id, m.at limit ${sql.lit(chunk.responseSeconds)}`;

const AttemptRow = z.strictObject({
  event_id: z.string(),
  endpoint_id: z.string(),
  no: z.number(),
  at: z.string(),
  response: z.string(),
});

/**
 * Includes responses whose event is already deleted. A deletion in named organizations excludes responses to events
 * without an organization.
 */
const attemptsOf = (
  { tenantId, organizations }: PersonScope,
  seconds: readonly z.infer<typeof SecondRow>[],
): RawBuilder<unknown> => sql`
  select a.* from unnest(${seconds.map(({ endpoint_id }) => endpoint_id)}::bigint[],
    ${seconds.map(({ until }) => until)}::timestamptz[]) as f (endpoint_id, at) cross join lateral (
    select a.event_id, a.endpoint_id, a.no, a.at::text as at, a.response from attempt a
    where a.endpoint_id = f.endpoint_id and a.at >= f.at and a.at < f.at + interval '1 second' and a.api_key_id + 0 = ${tenantId}
      and a.response <> '' and (${organizations}::bigint[] is null or coalesce((
        select e.org_id is not null and e.org_id = any(${organizations}::bigint[]) from event e
        where e.api_key_id = ${tenantId} and e.at = a.event_at and e.id = a.event_id), true))
    offset 0) a`;

/**
 * Receivers' responses, by attempt_endpoint. A response is cut at 1 KiB and may not be JSON. One that contains an id or
 * an address as a separate string is blanked.
 */
const ofResponses: IndexedMoments<z.infer<typeof AttemptRow>> = {
  name: 'responses',
  counts: false,
  async find(em, scope, after) {
    const { identifiers } = scope;
    const next = nextSeconds(scope, indexedNamesOf(identifiers), after ?? [eventMoments, 'infinity']);
    const seconds = await rowsOf(em, SecondRow, next);
    const held = await rowsOf(em, AttemptRow, attemptsOf(scope, seconds));
    const naming = held.filter(({ response }) =>
      textsInResponse(response).some((text) => identifiesPerson(text, identifiers)),
    );
    const end = seconds.length < chunk.responseSeconds ? undefined : seconds.at(-1);
    return { naming, last: end === undefined ? null : [end.endpoint_id, end.until] };
  },
  async scrub(em, { tenantId }, { naming, last }) {
    const events = sql`${naming.map(({ event_id }) => event_id)}::bigint[]`;
    const times = sql`${naming.map(({ at }) => at)}::timestamptz[]`;
    await sql`update attempt a set response = ''
      from unnest(${events}, ${naming.map(({ endpoint_id }) => endpoint_id)}::bigint[], ${naming.map(({ no }) => no)}::smallint[], ${times})
        as s (event_id, endpoint_id, no, at)
      where a.event_id = s.event_id and a.endpoint_id = s.endpoint_id and a.no = s.no and a.at = s.at
        and a.api_key_id + 0 = ${tenantId} and a.event_id = any(${events}) and a.at = any(${times})`.execute(
      tablesOf(em),
    );
    return { records: naming.length, last };
  },
};

/** A deletion in named organizations covers only their events and the responses to these. */
function momentStore<Row>(of: IndexedMoments<Row>): PersonalDataStore {
  return {
    name: of.name,
    kinds: ['events'],
    async remove(em, scope, after) {
      const found = await of.find(em, scope, after);
      if (found.naming.length === 0) return { counts: {}, last: found.last };
      const { records, ...end } = await of.scrub(em, scope, found, after);
      return { counts: of.counts ? { events: records } : {}, ...end };
    },
    // A dry run counts events only by `event_user`: the deletion finds the others as it removes them.
    count: async () => Promise.resolve({ counts: {}, last: null }),
    async remains(em, scope, after) {
      const { naming, last } = await of.find(em, scope, after);
      return { any: naming.length > 0, last };
    },
  };
}

export const eventJson = momentStore(ofEvents);
export const responses = momentStore(ofResponses);
