import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { changedBy, rowsOf } from '../../../platform/database/statements.ts';
import { tablesOf } from '../../tables.ts';
import { maxRemovedNotices, removeNextEnded } from '../../notices/remove-notices.ts';
import { isFence } from '../../users/lock-users.ts';
import { anyName, distinctNames } from '../../users/name-index.ts';
import { isBare } from '../../users/user-addresses.ts';
import type { IdentifiedScope, Person, PersonalDataStore, PersonScope } from './personal-data-store.ts';
import type { PersonIdentifiers } from './without-people.ts';

const AddressRow = z.strictObject({
  /** In lowercase. */
  address: z.string(),
  /** Another user whose id is this address in any letter case; null when there is none. */
  id: z.string().nullable(),
  ext_id: z.string().nullable(),
  /** Whether the user has no profile: the row was created for a key of a map of people. */
  bare: z.boolean().nullable(),
});
type AddressRow = z.infer<typeof AddressRow>;

/**
 * Every address that the people have or had, with the one of their profile: `generate_token` of earlier releases stored
 * it only there. A map keyed by address gives each key a bare user row. An address that is the id of another user with a
 * profile belongs to that user and is left out.
 */
async function addressesOf(em: EntityManager, { tenantId, users }: PersonScope): Promise<AddressRow[]> {
  const people = users.map(({ id }) => id);
  const found = await rowsOf(
    em,
    AddressRow,
    sql`select distinct a.address, o.id, o.ext_id, o.bare from (
         select address from user_address where user_id = any(${people}::bigint[]) and api_key_id = ${tenantId}
         union select lower(email) from app_user where id = any(${people}::bigint[]) and api_key_id = ${tenantId}
           and email <> '') a
       left join lateral (
         select u.id, u.ext_id, ${isBare} as bare
         from user_address b join app_user u on u.id = b.user_id
         where b.api_key_id = ${tenantId} and b.address = a.address and b.user_id <> all(${people}::bigint[]) offset 0) o on true`,
  );
  const ofIds = found.map((row) => (row.ext_id?.toLowerCase() === row.address ? row : { ...row, id: null }));
  const taken = new Set(
    ofIds.flatMap(({ id, address, bare }) => (id !== null && bare === false ? [address] : [])),
  );
  return ofIds.filter(({ address }) => !taken.has(address));
}

/** Reads the addresses of the people and the bare users of these. */
export async function identify(em: EntityManager, scope: PersonScope): Promise<IdentifiedScope> {
  const found = await addressesOf(em, scope);
  const bare = found.flatMap(({ id, ext_id }): Person[] =>
    id === null || ext_id === null ? [] : [{ id, userId: ext_id }],
  );
  const people = new Map([...bare, ...scope.users].map((person) => [person.id, person]));
  const ascending = (one: Person, other: Person): number => (BigInt(one.id) < BigInt(other.id) ? -1 : 1);
  return {
    ...scope,
    named: { ...scope, users: [...people.values()].sort(ascending) },
    identifiers: {
      userIds: new Set(scope.users.map(({ userId }) => userId)),
      emails: new Set(found.map(({ address }) => address)),
    },
  };
}

/**
 * Like `identify`, in a transaction that changes the rows found. Locks the bare users until its end, so that no other
 * user takes one of them over. Does not lock a new user whose id differs only in letter case.
 */
export async function identifyLocked(em: EntityManager, scope: PersonScope): Promise<IdentifiedScope> {
  const own = new Set(scope.users.map(({ id }) => id));
  const { named, ...found } = await identify(em, scope);
  const bare = named.users.flatMap(({ id }) => (own.has(id) ? [] : [id]));
  if (bare.length === 0) return { named, ...found };
  await sql`select from app_user where id = any(${bare}::bigint[]) and api_key_id = ${scope.tenantId}
    order by id for share`.execute(tablesOf(em));
  return identify(em, scope);
}

/** The names under which the index may list records of the people. */
export const indexedNamesOf = ({ userIds, emails }: PersonIdentifiers): string[] => [
  anyName,
  ...distinctNames([...userIds, ...emails]),
];

/** Bare users of addresses that no record refers to. Must follow all stores of records. */
export const addresses: PersonalDataStore = {
  name: 'addresses',
  kinds: [],
  async remove(em, scope) {
    const isDone = scope.organizations !== null || (await removeUnused(em, scope));
    return { counts: {}, last: isDone ? null : [] };
  },
  count: async () => Promise.resolve({ counts: {}, last: null }),
  // Bare users that records refer to are kept, so a remaining one is no finding.
  remains: async () => Promise.resolve({ any: false, last: null }),
};

/** Tables whose rows may outlive the notifications that they are about. */
const resultTables = ['notice', 'notice_window', 'slack_identity'];

/** Removes the bare users, with the results of notifications to them. Returns false when more of these are left. */
async function removeUnused(em: EntityManager, scope: PersonScope): Promise<boolean> {
  const own = new Set(scope.users.map(({ id }) => id));
  const bare = (await addressesOf(em, scope)).flatMap(({ id }) => (id === null || own.has(id) ? [] : [id]));
  if (bare.length === 0) return true;
  const unused = [
    sql`access x where x.user_id = u.id`,
    sql`user_group_member x where x.user_id = u.id`,
    sql`preference x where x.user_id = u.id`,
    sql`record_user x where x.user_id = u.id`,
    sql`activity x where x.actor_id = u.id`,
    sql`notification x where x.actor_id = u.id`,
    sql`notification_recipient x where x.user_id = u.id`,
    sql`named_recipient x where x.user_id = u.id`,
    sql`agent_execution x where x.started_by = u.id`,
    sql`crdt x where x.last_updated_by = u.id`,
    sql`recording x where x.creator_id = u.id`,
    sql`thread x where x.creator_id = u.id`,
    sql`thread_person x where x.user_id = u.id`,
    sql`comment x where x.author_id = u.id`,
    sql`reaction x where x.user_id = u.id`,
    sql`thread_view x where x.user_id = u.id`,
    sql`event_user x where x.user_id = u.id`,
    sql`outgoing x where x.user_id = u.id`,
    // By the index of fences. A deletion without a fence creates its users again.
    sql`user_deletion x where x.api_key_id = u.api_key_id and x.user_ext_id = u.ext_id
      and ${isFence('x')}`,
  ];
  // A separate statement: it waits for writers that name an address, and the next statement sees their rows.
  await sql`select from app_user where id = any(${bare}::bigint[]) and api_key_id = ${scope.tenantId}
    order by id for update`.execute(tablesOf(em));
  const conditions = unused.map((used) => sql`not exists (select from ${used})`);
  const gone = await rowsOf(
    em,
    UnusedRow,
    sql`select u.id from app_user u where u.id = any(${bare}::bigint[]) and u.api_key_id = ${scope.tenantId}
      and ${isBare} and ${sql.join(conditions, sql` and `)}`,
  );
  const ids = gone.map(({ id }) => id);
  if (ids.length === 0) return true;
  const ofGone = sql`user_id = any(${ids}::bigint[])`;
  for (const table of resultTables.map((name) => sql.table(name))) {
    const next = sql`select ctid from ${table} where ${ofGone} limit ${sql.lit(maxRemovedNotices)}`;
    const removed = await changedBy(
      em,
      sql`delete from ${table} where ctid = any(array(${next})) and ${ofGone}`,
    );
    if (removed >= maxRemovedNotices) return false;
  }
  if ((await removeNextEnded(em, ofGone)) >= maxRemovedNotices) return false;
  await sql`delete from app_user where id = any(${ids}::bigint[])
    and api_key_id = ${scope.tenantId}`.execute(tablesOf(em));
  return true;
}

const UnusedRow = z.strictObject({ id: z.string() });
