import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { inTransaction, type EntityManager } from '../../../platform/database/orm.ts';
import { changedBy, rowsOf } from '../../../platform/database/statements.ts';
import { tablesOf } from '../../tables.ts';
import { allowIndexScansOnly } from './index-scans-only.ts';
import { anyOfPeople, stepOf, runBatch, BatchRow, type PersonIndex } from './person-index.ts';
import type { StoreCursor, PersonalDataStore, PersonScope } from './personal-data-store.ts';
import { scrubbedPayload } from './scrubbed-payload.ts';
import { batchBySize } from './batch-by-size.ts';
import type { PersonIdentifiers } from './without-people.ts';

/** Rows per batch of a count and of the verification. */
const chunk = { count: 50_000, scan: 10_000 } as const;

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
    await scrubEvents(em, scope, scope.identifiers, rows);
    return { counts: { events: await removeEventUsers(em, rows) }, last };
  },
  async count(em, { named }, after) {
    const batch = await runBatch(em, index, named, after, {
      limit: chunk.count,
      row: CountedRow,
      select: sql`(select count(*)::integer from next) as events`,
    });
    return stepOf(batch, chunk.count, { events: batch?.events ?? 0 });
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
    return { any: batch?.any === true, last: stepOf(batch, chunk.scan, {}).last };
  },
};

const EventRow = z.strictObject({ at: z.string(), id: z.string(), payload: z.unknown() });

/** SQL: the times and ids of events. */
const keysOf = (rows: readonly StoreCursor[]) => ({
  times: sql`${rows.map(([, at]) => at)}::timestamptz[]`,
  ids: sql`${rows.map(([, , id]) => id)}::bigint[]`,
});

/** Scrubs the payloads of events and the responses to them. `rows`: `[user, time, event id]`. */
export async function scrubEvents(
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
    blanked as (
      update attempt a set response = '' where a.event_id = any(${scrubbed.ids}) and a.api_key_id = ${scope.tenantId}
        -- Prunes partitions. Attempts have the times of workers, whose clocks may be behind.
        and a.response <> '' and a.at >= (select min(at) from sent) - interval '1 day')
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
