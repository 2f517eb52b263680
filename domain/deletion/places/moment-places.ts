import type { EntityManager } from '../../../platform/database/orm.ts';
import { row, rows } from '../../../platform/database/sql.ts';
import { eventMoments, namesInResponse } from '../../users/name-index.ts';
import { scrubEvents } from './events.ts';
import { namesIn, unwantedOf, withAddresses } from './named-by-address.ts';
import type { PersonCursor, PersonPlace, PersonScope } from './place.ts';
import { payloadNames } from './scrubbed-payload.ts';
import { isTheirs } from './without-people.ts';

/** Seconds of the index that a step reads, and payloads of them, each of which may be large. */
const chunk = { eventSeconds: 50, payloads: 100, responseSeconds: 5 } as const;

/** Rows that name the people, and where the next ones begin. */
interface Found<Row> {
  readonly naming: readonly Row[];
  readonly last: PersonCursor | null;
  readonly people: PersonScope;
}

/** What is found by the second in which it holds a name. */
interface Moments<Row> {
  readonly name: string;
  /** What it finds counts as events. */
  readonly counts: boolean;
  find(em: EntityManager, scope: PersonScope, after: PersonCursor | null): Promise<Found<Row>>;
  scrub(em: EntityManager, people: PersonScope, naming: readonly Row[]): Promise<void>;
}

interface EventRow {
  readonly at: string;
  readonly id: string;
  readonly payload: unknown;
}

const nextEvents = `
  with found as materialized (
    select distinct m.at from unnest($2::text[]) as n (name) cross join lateral (
      select m.at from moment_name m
      where m.api_key_id = $1 and m.name_hash = hashtextextended(n.name, $1::bigint) and m.endpoint_id = ${eventMoments}
        and m.at >= date_trunc('second', $3::timestamptz)
      order by m.at limit ${String(chunk.eventSeconds)}) m
    order by m.at limit ${String(chunk.eventSeconds)}),
  held as materialized (
    select e.* from found f cross join lateral (
      select e.at, e.id, e.payload from event e
      where e.api_key_id = $1 and e.at >= f.at and e.at < f.at + interval '1 second'
        and (e.at, e.id) > ($3::timestamptz, $4::bigint) and ($5::bigint[] is null or e.org_id = any($5))
      order by e.at, e.id limit ${String(chunk.payloads)}) e
    order by e.at, e.id limit ${String(chunk.payloads)})
  select (select count(*)::integer from found) as seconds, (select (max(at) + interval '1 second')::text from found) as until,
    (select json_agg(json_build_object('at', at::text, 'id', id::text, 'payload', payload) order by at, id) from held) as held`;

/** Payloads of events, by the primary key of event. */
const ofEvents: Moments<EventRow> = {
  name: 'eventJson',
  counts: true,
  async find(em, scope, after) {
    const people = await withAddresses(em, scope);
    const unwanted = await unwantedOf(em, scope);
    const [at, id] = after ?? ['-infinity', '0'];
    const parameters = [scope.tenantId, namesIn(unwanted), at, id, scope.organizations];
    const found = await row<{ seconds: number; until: string; held: EventRow[] | null }>(
      em,
      nextEvents,
      parameters,
    );
    const { seconds = 0, until = '' } = found ?? {};
    const held = found?.held ?? [];
    const end = held.at(-1);
    const naming = held.filter(({ payload }) => payloadNames(payload, unwanted));
    if (held.length === chunk.payloads && end !== undefined)
      return { naming, last: [end.at, end.id], people };
    return { naming, last: seconds < chunk.eventSeconds ? null : [until, '0'], people };
  },
  async scrub(em, people, naming) {
    await scrubEvents(
      em,
      people,
      naming.map(({ at, id }) => ['', at, id]),
    );
  },
};

interface AttemptRow {
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly no: number;
  readonly at: string;
  readonly response: string;
}

const nextSeconds = `
  select distinct m.endpoint_id, m.at, m.at::text as until from unnest($2::text[]) as n (name) cross join lateral (
    select m.endpoint_id, m.at from moment_name m
    where m.api_key_id = $1 and m.name_hash = hashtextextended(n.name, $1::bigint)
      and (m.endpoint_id, m.at) > ($3::bigint, $4::timestamptz)
    order by m.endpoint_id, m.at limit ${String(chunk.responseSeconds)}) m
  order by m.endpoint_id, m.at limit ${String(chunk.responseSeconds)}`;

const attemptsOf = `
  select a.* from unnest($2::bigint[], $3::timestamptz[]) as f (endpoint_id, at) cross join lateral (
    select a.event_id, a.endpoint_id, a.no, a.at::text as at, a.response from attempt a
    where a.endpoint_id = f.endpoint_id and a.at >= f.at and a.at < f.at + interval '1 second' and a.api_key_id + 0 = $1
      and a.response <> '' and ($4::bigint[] is null or exists (
        select from event e where e.api_key_id = $1 and e.at = a.event_at and e.id = a.event_id and e.org_id = any($4)))
    offset 0) a`;

/**
 * What receivers responded, by the endpoint and the time (attempt_endpoint). It is cut at 1 KiB and need not be JSON: one that
 * holds an id or an address as a string of its own goes as a whole.
 */
const ofResponses: Moments<AttemptRow> = {
  name: 'responses',
  counts: false,
  async find(em, scope, after) {
    const people = await withAddresses(em, scope);
    const unwanted = await unwantedOf(em, scope);
    const [endpoint, at] = after ?? [eventMoments, 'infinity'];
    const seconds = await rows<{ endpoint_id: string; until: string }>(em, nextSeconds, [
      scope.tenantId,
      namesIn(unwanted),
      endpoint,
      at,
    ]);
    const held = await rows<AttemptRow>(em, attemptsOf, [
      scope.tenantId,
      seconds.map(({ endpoint_id }) => endpoint_id),
      seconds.map(({ until }) => until),
      scope.organizations,
    ]);
    const naming = held.filter(({ response }) =>
      namesInResponse(response).some((name) => isTheirs(name, unwanted)),
    );
    const end = seconds.length < chunk.responseSeconds ? undefined : seconds.at(-1);
    return { naming, last: end === undefined ? null : [end.endpoint_id, end.until], people };
  },
  async scrub(em, { tenantId }, naming) {
    await rows(
      em,
      `update attempt a set response = '' from unnest($1::bigint[], $2::bigint[], $3::smallint[], $4::timestamptz[]) as s (event_id, endpoint_id, no, at)
       where a.event_id = s.event_id and a.endpoint_id = s.endpoint_id and a.no = s.no and a.at = s.at and a.api_key_id + 0 = $5
         and a.event_id = any($1::bigint[]) and a.at = any($4::timestamptz[])`,
      [
        naming.map(({ event_id }) => event_id),
        naming.map(({ endpoint_id }) => endpoint_id),
        naming.map(({ no }) => no),
        naming.map(({ at }) => at),
        tenantId,
      ],
    );
  },
};

/** A deletion in named organizations reaches the events of these, and what was responded to them. */
function momentPlace<Row>(of: Moments<Row>): PersonPlace {
  return {
    name: of.name,
    kinds: ['events'],
    async remove(em, scope, after) {
      const { naming, last, people } = await of.find(em, scope, after);
      if (naming.length > 0) await of.scrub(em, people, naming);
      return { counts: of.counts ? { events: naming.length } : {}, last };
    },
    // What is counted of events is whom event_user knows; these are found on the way.
    count: async () => Promise.resolve({ counts: {}, last: null }),
    async remains(em, scope, after) {
      const { naming, last } = await of.find(em, scope, after);
      return { any: naming.length > 0, last };
    },
  };
}

export const eventJson = momentPlace(ofEvents);
export const responses = momentPlace(ofResponses);
