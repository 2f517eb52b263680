import { rows } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { Person, PersonPlace, PersonScope } from './place.ts';
import type { Unwanted } from './without-people.ts';

interface AddressRow {
  readonly email: string;
  /** Of the bare row of a key of a map of people, if it is one anywhere. */
  readonly id: string | null;
}

/**
 * E-mail addresses of the people. Some maps of people have them as their keys, and every such key has a bare row of its
 * own, as if it were the id of a user. An address that is somebody's id is theirs.
 */
const addressesOf = async (em: EntityManager, { tenantId, users }: PersonScope): Promise<AddressRow[]> =>
  rows(
    em,
    `select u.email, a.id from app_user u
       left join lateral (
         select a.id, a.name = '' and a.email = '' and a.metadata = '{}' as bare from app_user a
         where a.api_key_id = $2 and a.ext_id = u.email offset 0) a on true
     where u.id = any($1::bigint[]) and u.api_key_id = $2 and octet_length(u.email) > 0 and a.bare is not false`,
    [users.map(({ id }) => id), tenantId],
  );

/** What free JSON may call the people of a scope. */
export async function unwantedOf(em: EntityManager, scope: PersonScope): Promise<Unwanted> {
  const addresses = await addressesOf(em, scope);
  return {
    userIds: new Set(scope.users.map(({ userId }) => userId)),
    emails: new Set(addresses.map(({ email }) => email)),
  };
}

/** The same scope with those bare rows, for whatever names people by what is a key of such a map. */
export async function withAddresses(em: EntityManager, scope: PersonScope): Promise<PersonScope> {
  const bare = (await addressesOf(em, scope)).flatMap(({ email, id }): Person[] =>
    id === null ? [] : [{ id, userId: email }],
  );
  const people = new Map([...bare, ...scope.users].map((person) => [person.id, person]));
  const ascending = (one: Person, other: Person): number => (BigInt(one.id) < BigInt(other.id) ? -1 : 1);
  return { ...scope, users: [...people.values()].sort(ascending) };
}

/** Bare rows of addresses that no record has any more; an address under which somebody acted is left. Behind the mentions. */
export const addresses: PersonPlace = {
  name: 'addresses',
  kinds: [],
  async remove(em, scope) {
    if (scope.organizations === null) await removeUnused(em, scope);
    return { counts: {}, last: null };
  },
  count: async () => Promise.resolve({ counts: {}, last: null }),
  // Nobody is kept from using an address as a key again while the deletion runs.
  remains: async () => Promise.resolve(false),
};

async function removeUnused(em: EntityManager, scope: PersonScope): Promise<void> {
  const own = new Set(scope.users.map(({ id }) => id));
  const bare = (await addressesOf(em, scope)).flatMap(({ id }) => (id === null || own.has(id) ? [] : [id]));
  if (bare.length === 0) return;
  const unused = [
    'access x where x.user_id = u.id',
    'user_group_member x where x.user_id = u.id',
    'preference x where x.user_id = u.id',
    'record_user x where x.user_id = u.id',
    'activity x where x.actor_id = u.id',
    'notification x where x.actor_id = u.id',
    'notification_recipient x where x.user_id = u.id',
    'agent_execution x where x.started_by = u.id',
    'crdt x where x.last_updated_by = u.id',
    'event_user x where x.user_id = u.id',
    'user_deletion x where x.user_id = u.id and x.ended_at is null',
  ];
  // Locked by itself: who is naming an address is waited for, and what they wrote is seen by the next statement.
  await rows(
    em,
    'select from app_user where id = any($1::bigint[]) and api_key_id = $2 order by id for update',
    [bare, scope.tenantId],
  );
  await rows(
    em,
    `delete from app_user u where u.id = any($1::bigint[]) and u.api_key_id = $2
       and ${unused.map((used) => `not exists (select from ${used})`).join(' and ')}`,
    [bare, scope.tenantId],
  );
}
