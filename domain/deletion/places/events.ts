import { changedRows, rows } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { unwantedOf, withAddresses } from './named-by-address.ts';
import { anyRows, stepOf, walk, type PersonIndex } from './person-index.ts';
import type { PersonCursor, PersonPlace, PersonScope } from './place.ts';
import { scrubbedPayload } from './scrubbed-payload.ts';
import { walkBySize } from './walk-by-size.ts';

/** Rows a step. */
const counted = 50_000;

const ofEvent = (also: string): string =>
  `exists (select from event e where e.at = t.at and e.id = t.event_id and e.api_key_id = $2 and ${also})`;

const index: PersonIndex = {
  table: 'event_user',
  columns: ['user_id', 'at', 'event_id'],
  times: ['at'],
  ofTenant: ofEvent('true'),
  organization: { sql: ofEvent('e.org_id = any($3::bigint[])') },
};

const stored = 'select pg_column_size(e.payload) from event e where e.at = n.at and e.id = n.event_id';

/**
 * Events that name a person (by event_user_person), for as long as events are kept: the payloads, of which deliveries and
 * repetitions are made, and what receivers answered to them. Comes before the notifications, whose recipients tell by
 * which e-mail addresses a payload names the person.
 */
export const events: PersonPlace = {
  name: 'events',
  kinds: ['events'],
  async remove(em, scope, after) {
    const { places, last } = await walkBySize(em, index, await withAddresses(em, scope), after, stored);
    if (places.length === 0) return { counts: {}, last };
    await scrubEvents(em, scope, places);
    return { counts: { events: await unname(em, places) }, last };
  },
  async count(em, scope, after) {
    const walked = await walk(em, index, await withAddresses(em, scope), after, {
      limit: counted,
      select: 'null',
    });
    return stepOf(walked, counted, { events: walked?.found ?? 0 });
  },
  remains: async (em, scope) => anyRows(em, index, await withAddresses(em, scope)),
};

interface EventRow {
  readonly at: string;
  readonly id: string;
  readonly payload: unknown;
}

/** The times and the ids of events. */
const keysOf = (places: readonly PersonCursor[]): unknown[] => [
  places.map(([, at]) => at),
  places.map(([, , id]) => id),
];

/** `places`: of event_user, or whatever tells the time and the id of an event second and third. */
export async function scrubEvents(
  em: EntityManager,
  scope: PersonScope,
  places: readonly PersonCursor[],
): Promise<void> {
  const keys = keysOf(places);
  const held = await rows<EventRow>(
    em,
    `select e.at::text as at, e.id, e.payload from event e
     where e.api_key_id = $3 and e.at = any($1::timestamptz[]) and e.id = any($2::bigint[])
     order by e.at, e.id for update`,
    [...keys, scope.tenantId],
  );
  const unwanted = await unwantedOf(em, scope);
  const addresses = (await addressesIn(em, scope, keys)).map((address) => address.toLowerCase());
  const all = { ...unwanted, emails: new Set([...unwanted.emails, ...addresses]) };
  await rows(
    em,
    `with sent as materialized (select * from unnest($1::timestamptz[], $2::bigint[], $3::json[]) as s (at, id, payload)),
     blanked as (
       update attempt a set response = '' where a.event_id = any($2::bigint[]) and a.api_key_id = $4 and a.response <> ''
         and a.at >= (select min(at) from sent))
     update event e set payload = s.payload, scrubbed_at = now() from sent s where e.at = s.at and e.id = s.id and e.api_key_id = $4
       and e.at = any($1::timestamptz[]) and e.id = any($2::bigint[])`,
    [
      held.map(({ at }) => at),
      held.map(({ id }) => id),
      held.map(({ payload }) => JSON.stringify(scrubbedPayload(payload, all))),
      scope.tenantId,
    ],
  );
}

/** E-mail addresses to which notifications that events tell of were sent. */
async function addressesIn(
  em: EntityManager,
  scope: PersonScope,
  keys: readonly unknown[],
): Promise<string[]> {
  const found = await rows<{ email: string }>(
    em,
    `select distinct r.email from unnest($1::timestamptz[], $2::bigint[]) as k (at, id)
       cross join lateral (
         select e.org_id, e.payload ->> 'id' as notification from event e
         where e.at = k.at and e.id = k.id and e.api_key_id = $4 and e.type = 'notification.add' offset 0) e
       cross join lateral (
         select n.audience from notification n where n.org_id = e.org_id and n.ext_id = e.notification and n.api_key_id = $4 offset 0) n
       cross join lateral (
         select r.email from notification_recipient r where r.audience_id = n.audience and r.user_id = any($3::bigint[]) offset 0) r
     where r.email is not null`,
    [...keys, scope.users.map(({ id }) => id), scope.tenantId],
  );
  return found.map(({ email }) => email);
}

/** An event that a person is not found by any more. */
async function unname(em: EntityManager, places: readonly PersonCursor[]): Promise<number> {
  return changedRows(
    em,
    `delete from event_user t using unnest($1::timestamptz[], $2::bigint[], $3::bigint[]) as k (at, event_id, user_id)
     where t.at = k.at and t.event_id = k.event_id and t.user_id = k.user_id
       and t.at = any($1::timestamptz[]) and t.event_id = any($2::bigint[]) and t.user_id = any($3::bigint[])`,
    [...keysOf(places), places.map(([user]) => user)],
  );
}
