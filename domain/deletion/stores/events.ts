import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { inTransaction, type EntityManager } from '../../../platform/database/orm.ts';
import { changedBy, onlyRowOf, rowsOf } from '../../../platform/database/statements.ts';
import { tablesOf } from '../../tables.ts';
import { allowIndexScansOnly } from './index-scans-only.ts';
import { anyOfPeople, stepOf, runBatch, BatchRow, type PersonIndex } from './person-index.ts';
import type { StoreCursor, PersonalDataStore, PersonScope, StoreStep } from './personal-data-store.ts';
import { scrubbedPayload } from './scrubbed-payload.ts';
import { batchBySize } from './batch-by-size.ts';
import type { PersonIdentifiers } from './without-people.ts';

/** Rows per batch of a count and of the verification, and responses that a batch of a removal empties. */
const chunk = { count: 50_000, scan: 10_000, responses: 5_000 } as const;

/** SQL: looks each event up by its key. */
const ofEvent = ({ tenantId }: PersonScope, also: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`exists (
    select from event e where e.at = t.at and e.id = t.event_id and e.api_key_id = ${tenantId} and ${also} offset 0)`;

const index: PersonIndex = {
  table: 'event_user',
  columns: ['user_id', 'at', 'event_id'],
  times: ['at'],
  ofTenant: (scope) => ofEvent(scope, sql`true`),
  organization: { sql: (named, scope) => ofEvent(scope, sql`e.org_id = ${named}`) },
  examinesRows: true,
};

const CountedRow = BatchRow.extend({ events: z.number() });
const ScannedRow = BatchRow.extend({ any: z.boolean() });

const stored = sql`select octet_length(e.payload::text) from event e where e.at = n.at and e.id = n.event_id`;

/**
 * Events that name a person, by event_user_person: their payloads, from which deliveries and redeliveries are built, and
 * receivers' responses. Must precede notifications, whose recipients have the addresses by which payloads name a person.
 */
export const events: PersonalDataStore = {
  name: 'events',
  kinds: ['events'],
  async remove(em, scope, after) {
    const { rows, last } = await batchBySize(em, index, scope.named, after, stored);
    if (rows.length === 0) return { counts: {}, last };
    const scrubbed = await scrubEvents(em, scope, scope.identifiers, rows);
    const events = await removeEventUsers(em, rows.slice(0, scrubbed));
    return { counts: { events }, ...endOf(rows, scrubbed, { after, last }) };
  },
  async count(em, { named }, after) {
    const batch = await runBatch(em, index, named, after, {
      limit: chunk.count,
      row: CountedRow,
      select: sql`(select count(*)::integer from next) as events`,
    });
    return stepOf(batch, chunk.count, { events: batch.events });
  },
  async remains(em, { named }, after) {
    const batch = await inTransaction({ em }, async (scanning) => {
      await allowIndexScansOnly(scanning);
      return runBatch(scanning, index, named, after, {
        limit: chunk.scan,
        row: ScannedRow,
        select: sql`exists (select from next) as any`,
      });
    });
    return { any: batch.any, last: stepOf(batch, chunk.scan, {}).last };
  },
};

const EventRow = z.strictObject({ at: z.string(), id: z.string(), payload: z.unknown() });

/** SQL: the times and ids of events. */
const keysOf = (rows: readonly StoreCursor[]) => ({
  times: sql`${rows.map(([, at]) => at)}::timestamptz[]`,
  ids: sql`${rows.map(([, , id]) => id)}::bigint[]`,
});

/**
 * Scrubs the payloads of events and the responses to them. `events`: `[user, time, event id]`. Returns how many are
 * scrubbed, from the first on: none or fewer than all when the responses to them exceed a batch.
 */
export async function scrubEvents(
  em: EntityManager,
  scope: PersonScope,
  identifiers: PersonIdentifiers,
  events: readonly StoreCursor[],
): Promise<number> {
  const emptied = await emptyResponses(em, scope, events);
  if (emptied > 0) await scrubPayloads(em, scope, identifiers, events.slice(0, emptied));
  return emptied;
}

/** The end of a batch of which only the first `done` rows are processed. `after` and `last`: cursors of the whole batch. */
export function endOf(
  rows: readonly StoreCursor[],
  done: number,
  { after, last }: { readonly after: StoreCursor | null; readonly last: StoreCursor | null },
): Pick<StoreStep, 'last' | 'repeats'> {
  if (done === rows.length) return { last };
  const end = rows[done - 1];
  return end === undefined ? { last: after, repeats: true } : { last: end };
}

const EmptiedRow = z.strictObject({ responses: z.number(), last: z.number() });

/**
 * Empties the next responses to events: an event has one for each endpoint and attempt. Returns how many of the events,
 * from the first on, have none left.
 */
async function emptyResponses(
  em: EntityManager,
  { tenantId }: PersonScope,
  rows: readonly StoreCursor[],
): Promise<number> {
  const { times, ids } = keysOf(rows);
  const { responses, last } = await onlyRowOf(
    em,
    EmptiedRow,
    sql`with found as materialized (
        select n.position, a.* from unnest(${ids}) with ordinality as n (id, position) cross join lateral (
          select a.tableoid as partition, a.ctid as tid from attempt a
          where a.event_id = n.id and a.api_key_id = ${tenantId} and a.response <> '' and a.at >= ${attemptsSince(times)}
          offset 0) a
        order by n.position limit ${sql.lit(chunk.responses)}),
      emptied as (
        update attempt a set response = '' from found f
        where a.ctid = f.tid and a.tableoid = f.partition and a.at >= ${attemptsSince(times)})
      select count(*)::integer as responses, coalesce(max(position), 0)::integer as last from found`,
  );
  return responses < chunk.responses ? rows.length : last - 1;
}

/** SQL: prunes partitions of attempts. They have the times of workers, whose clocks may be behind. */
const attemptsSince = (times: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select min(t.at) from unnest(${times}) as t (at)) - interval '1 day'`;

async function scrubPayloads(
  em: EntityManager,
  scope: PersonScope,
  identifiers: PersonIdentifiers,
  rows: readonly StoreCursor[],
): Promise<void> {
  const { times, ids } = keysOf(rows);
  const held = await rowsOf(
    em,
    EventRow,
    sql`select e.at::text as at, e.id, e.payload from event e
      where e.api_key_id = ${scope.tenantId} and e.at = any(${times}) and e.id = any(${ids})
      order by e.at, e.id for update`,
  );
  const addresses = (await addressesIn(em, scope, rows)).map((address) => address.toLowerCase());
  const all = { ...identifiers, emails: new Set([...identifiers.emails, ...addresses]) };
  const scrubbed = keysOf(held.map(({ at, id }) => ['', at, id]));
  const payloads = held.map(({ payload }) => JSON.stringify(scrubbedPayload(payload, all)));
  await sql`with sent as materialized (
      select * from unnest(${scrubbed.times}, ${scrubbed.ids}, ${payloads}::json[]) as s (at, id, payload)),
    -- Those that were recorded meanwhile.
    emptied as (
      update attempt a set response = '' where a.event_id = any(${scrubbed.ids}) and a.api_key_id = ${scope.tenantId}
        and a.response <> '' and a.at >= ${attemptsSince(scrubbed.times)})
    update event e set payload = s.payload, scrubbed_at = now() from sent s
    where e.at = s.at and e.id = s.id and e.api_key_id = ${scope.tenantId}
      and e.at = any(${scrubbed.times}) and e.id = any(${scrubbed.ids})`.execute(tablesOf(em));
}

/** Addresses to which the notifications in these events were sent for the people. */
async function addressesIn(
  em: EntityManager,
  { tenantId, users }: PersonScope,
  rows: readonly StoreCursor[],
): Promise<string[]> {
  const { times, ids } = keysOf(rows);
  const found = await rowsOf(
    em,
    AddressRow,
    sql`select distinct r.email from unnest(${times}, ${ids}) as k (at, id)
       cross join lateral (
         select e.org_id, e.payload ->> 'id' as notification from event e
         where e.at = k.at and e.id = k.id and e.api_key_id = ${tenantId} and e.type = 'notification.add' offset 0) e
       cross join lateral (
         select n.audience from notification n where n.org_id = e.org_id and n.ext_id = e.notification and n.api_key_id = ${tenantId} offset 0) n
       cross join lateral (
         select r.email from notification_recipient r where r.audience_id = n.audience and r.user_id = ${anyOfPeople(users)} offset 0) r
     where r.email is not null`,
  );
  return found.map(({ email }) => email);
}

const AddressRow = z.strictObject({ email: z.string() });

/** Deletes `event_user` rows. Returns their number. */
async function removeEventUsers(em: EntityManager, rows: readonly StoreCursor[]): Promise<number> {
  const { times, ids } = keysOf(rows);
  const users = sql`${rows.map(([user]) => user)}::bigint[]`;
  return changedBy(
    em,
    sql`delete from event_user t using unnest(${times}, ${ids}, ${users}) as k (at, event_id, user_id)
      where t.at = k.at and t.event_id = k.event_id and t.user_id = k.user_id
        and t.at = any(${times}) and t.event_id = any(${ids}) and t.user_id = any(${users})`,
  );
}
