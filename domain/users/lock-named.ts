import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { advisoryLocks } from '../../platform/database/advisory-locks.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf, rowsOf } from '../../platform/database/statements.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import {
  FenceRow,
  fencesOf,
  fenceStands,
  isFence,
  lockUsers,
  refuseFencedUsers,
  throwFences,
  anyFenced,
  type LockedUsers,
} from './lock-users.ts';
import { distinctNames, distinctTexts } from './name-index.ts';
import type { NamedPeople } from './named-users.ts';
import { belongsToOther, storeAddresses } from './user-addresses.ts';

/** SQL: users of the tenant with one of these addresses. */
const ownersOf = (tenant: Pick<Tenant, 'id'>, addresses: readonly string[]) =>
  sql<string>`any(array(select a.user_id from user_address a where a.api_key_id = ${tenant.id} and a.address = any(${addresses})))`;

/** SQL: whether one of these addresses belongs to the user of a row `d` of `user_deletion`. */
const ownsOneOf = (tenant: Pick<Tenant, 'id'>, addresses: readonly string[]) => sql`exists (
  select from user_address a where a.user_id = d.user_id and a.api_key_id = ${tenant.id}
    and a.address = any(${addresses}) and not ${belongsToOther})`;

/** The addresses among ids and keys, as they are stored. */
const addressesIn = (names: readonly string[]): string[] =>
  distinctNames(names.filter((name) => name.includes('@')));

/** SQL: key of the advisory lock that writers of names of the tenant share. */
const namesLock = (tenantId: string) =>
  sql`${sql.lit(advisoryLocks.freeNames)}, hashint8(${tenantId}::bigint)`;

/**
 * SQL: `shareNames` as part of another statement. Assigns the transaction id at once, so that `namesSettled` sees
 * writers that have written nothing yet. PostgreSQL otherwise assigns it at the first row lock or write.
 */
export const sharingNames = (tenantId: string) =>
  sql`row(pg_current_xact_id(), pg_advisory_xact_lock_shared(${namesLock(tenantId)}))::text`;

/**
 * Takes the shared names lock until the end of the transaction. If free JSON has keys that may be ids or addresses, its
 * write calls this before it reads the write fence. Those users may have no row to lock.
 */
export async function shareNames(em: EntityManager, tenant: Pick<Tenant, 'id'>): Promise<void> {
  await sql`select ${sharingNames(tenant.id)}`.execute(tablesOf(em));
}

/** Max wait for earlier writers. Writers that arrive later wait just as long, so the activity retries instead. */
const maxNamesWait = '3s';

/**
 * Waits for writers of names, and blocks new ones until the end of the transaction, which must be short. So no other
 * transaction passes the write fence before this one, and indexes names during it.
 */
export async function holdNames(em: EntityManager, tenant: Pick<Tenant, 'id'>): Promise<void> {
  await sql`select set_config('lock_timeout', ${maxNamesWait}, true)`.execute(tablesOf(em));
  await sql`select pg_advisory_xact_lock(${namesLock(tenant.id)})`.execute(tablesOf(em));
}

/**
 * Whether every writer of names sees a fence that the transaction `after` set. This holds when no writer holds the
 * names lock now, or all transactions with a lower id than `after` have ended.
 */
export async function namesSettled(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  after: string,
): Promise<boolean> {
  const { settled } = await onlyRowOf(
    em,
    SettledRow,
    sql`select pg_snapshot_xmin(pg_current_snapshot()) >= ${after}::xid8
      or pg_try_advisory_xact_lock(${namesLock(tenant.id)}) as settled`,
  );
  return settled;
}

const SettledRow = z.strictObject({ settled: z.boolean() });

/** Like `anyFenced`, for the users with these addresses. */
async function anyOwnerFenced(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  addresses: readonly string[],
): Promise<boolean> {
  const fenced = await fencesOf(em, tenant)
    .where('user_id', '=', ownersOf(tenant, addresses))
    .executeTakeFirst();
  return fenced !== undefined;
}

/** Whether any user of the tenant is fenced in some organization; see `mayBeFenced`. */
export async function anyUserFenced(em: EntityManager, tenant: Pick<Tenant, 'id'>): Promise<boolean> {
  return (await fencesOf(em, tenant).executeTakeFirst()) !== undefined;
}

/**
 * SQL: the deletions that fence, in some organization, the user with the id `text` or with the address `address`, which is
 * in lower case.
 */
export const fencesNaming = (
  { id }: Pick<Tenant, 'id'>,
  { text, address }: Readonly<Record<'text' | 'address', RawBuilder<unknown>>>,
) => sql`
  select d.job_id from user_deletion d
  where d.api_key_id = ${id} and d.user_ext_id = ${text} and ${isFence('d')}
  union all
  select a.job_id from (
    select a.api_key_id, a.address, a.user_id, d.job_id
    from user_address a join app_user f on f.id = a.user_id
      join user_deletion d on d.api_key_id = a.api_key_id and d.user_ext_id = f.ext_id
    where a.api_key_id = ${id} and a.address = ${address} and ${isFence('d')} offset 0) a
  where not ${belongsToOther}`;

/**
 * Rejects the call like `refuseFencedUsers`, for JSON keys: if a key is the id or an address of a fenced user. An address
 * that is the id of another user with a profile belongs to that user, as in a deletion.
 */
export async function refuseFencedKeys(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  names: readonly string[],
  organizations: readonly string[] | null,
): Promise<void> {
  const addresses = addressesIn(names);
  const fenced = await rowsOf(
    em,
    FenceRow,
    sql`select d.user_ext_id as ext_id, j.public_id as job_id from user_deletion d join job j on j.id = d.job_id
      where d.api_key_id = ${tenant.id} and ${fenceStands(organizations)}
        and (d.user_ext_id = any(${names})
          or (d.user_id = ${ownersOf(tenant, addresses)} and ${ownsOneOf(tenant, addresses)}))
      order by d.job_id, d.user_id limit 1000`,
  );
  throwFences(fenced);
}

/**
 * Returns the ids and keys, as sent, by which write fences of `people` are searched, beside the ids of locked users: ids
 * that differ in letter case only are two people.
 */
export const fencedNames = ({ userIds, keys }: Pick<NamedPeople, 'userIds' | 'keys'>): string[] =>
  distinctTexts([...keys, ...[...userIds].filter((id) => id.includes('@'))]);

/**
 * Whether a user id or a name may be fenced in some organization. If not, `refuseFencedUsers` and `refuseFencedKeys` can be
 * skipped. Must run after the locks, in statements of its own.
 */
export async function mayBeFenced(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  userIds: readonly string[],
  names: readonly string[],
): Promise<boolean> {
  const addresses = addressesIn(names);
  const [fenced, owner] = await Promise.all([
    anyFenced(em, tenant, [...userIds, ...names]),
    addresses.length > 0 && anyOwnerFenced(em, tenant, addresses),
  ]);
  return fenced || owner;
}

/**
 * Locks the users that free JSON names; every write of free JSON calls this first. Creates bare rows for unknown user
 * ids. Throws FAILED_PRECONDITION if one is fenced in one of the organizations (null: in any). Returns the users by the
 * customer's ids.
 */
export async function lockPeople(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  people: NamedPeople,
  organizations: readonly string[] | null,
): Promise<LockedUsers> {
  const users = await lockUsers(em, tenant, [...people.userIds]);
  await admitPeople(em, tenant, users, people, organizations);
  return users;
}

/** Second half of `lockPeople`, after the users have been locked: handles other keys, write fences and addresses. */
export async function admitPeople(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  users: LockedUsers,
  { userIds, keys, addresses }: NamedPeople,
  organizations: readonly string[] | null,
): Promise<void> {
  if (fencedNames({ userIds, keys }).length > 0) await shareNames(em, tenant);
  await refuseFencedPeople(em, tenant, users, { userIds, keys }, organizations);
  await storeAddresses(em, tenant, users, addresses);
}

/** Rejects the call if one of these people is fenced. Their users are locked, and the names lock is held for other keys. */
export async function refuseFencedPeople(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  users: LockedUsers,
  people: Pick<NamedPeople, 'userIds' | 'keys'>,
  organizations: readonly string[] | null,
): Promise<void> {
  const names = fencedNames(people);
  await refuseFencedUsers(em, users, organizations);
  if (names.length > 0) await refuseFencedKeys(em, tenant, names, organizations);
}
