import { sql } from 'kysely';
import { z } from 'zod';
import { advisoryLocks } from '../../platform/database/advisory-locks.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf, rowsOf } from '../../platform/database/statements.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import {
  FenceRow,
  fencesOf,
  fenceStands,
  lockUsers,
  refuseFencedUsers,
  refuseFound,
  type LockedUsers,
} from './lock-users.ts';
import { distinctNames } from './name-index.ts';
import type { NamedPeople } from './named-users.ts';
import { learnAddresses } from './user-addresses.ts';

/** The users of the tenant whose address is one of these, as the index of names knows them. */
const ownersOf = (tenant: Pick<Tenant, 'id'>, addresses: readonly string[]) =>
  sql<string>`any(array(select a.user_id from user_address a where a.api_key_id = ${tenant.id} and a.address = any(${addresses})))`;

/** The lock that writers of names of the tenant share. */
const namesLock = (tenantId: string) =>
  sql`${sql.lit(advisoryLocks.freeNames)}, hashint8(${tenantId}::bigint)`;

/**
 * Does what `shareNames` does, in another statement. Gives the transaction its number, which PostgreSQL otherwise does only
 * when a row is locked or written: by that number `namesSettled` sees a writer that has written nothing yet.
 */
export const sharingNames = (tenantId: string) =>
  sql`row(pg_current_xact_id(), pg_advisory_xact_lock_shared(${namesLock(tenantId)}))::text`;

/**
 * Every write whose free JSON has keys that may be ids or addresses calls this, and reads the fence in a statement behind it:
 * there may be no row yet that it could lock. Held to the end of the transaction, beside others' writes.
 */
export async function shareNames(em: EntityManager, tenant: Pick<Tenant, 'id'>): Promise<void> {
  await sql`select ${sharingNames(tenant.id)}`.execute(tablesOf(em));
}

/**
 * Whether no write of names is under way any more that has not seen a fence: none is at this moment, or every transaction has
 * ended that has a lower number than `after`.
 */
export async function namesSettled(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  after: string,
): Promise<boolean> {
  const found = await rowOf(
    em,
    SettledRow,
    sql`select pg_snapshot_xmin(pg_current_snapshot()) >= ${after}::xid8
      or pg_try_advisory_xact_lock(${namesLock(tenant.id)}) as settled`,
  );
  return found?.settled ?? false;
}

const SettledRow = z.strictObject({ settled: z.boolean() });

/** As `someFenced`, of the people whose addresses these are. */
export async function someOwnerFenced(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  addresses: readonly string[],
): Promise<boolean> {
  const fenced = await fencesOf(em, tenant)
    .where('user_id', '=', ownersOf(tenant, addresses))
    .executeTakeFirst();
  return fenced !== undefined;
}

/** Refuses the call when a key is the id, or an address, of someone under deletion; as `refuseFencedUsers`. */
export async function refuseFencedNames(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  names: readonly string[],
  organizations: readonly string[] | null,
): Promise<void> {
  const fenced = await rowsOf(
    em,
    FenceRow,
    sql`select d.user_ext_id as ext_id, j.public_id as job_id from user_deletion d join job j on j.id = d.job_id
      where d.api_key_id = ${tenant.id} and (d.user_ext_id = any(${names}) or d.user_id = ${ownersOf(tenant, names)})
        and ${fenceStands(organizations)}
      order by d.job_id, d.user_id limit 100`,
  );
  refuseFound(fenced);
}

/**
 * What a write of free JSON begins with: everyone whom it names is locked, or refused while a deletion fences them in one of
 * these organizations (null: in any). Bare rows are made for unknown user ids. Answers the users by the customer's ids.
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

/** The same where the users have been locked already: whom other keys and addresses name, the fences, and the addresses. */
export async function admitPeople(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  users: LockedUsers,
  { userIds, keys, addresses }: NamedPeople,
  organizations: readonly string[] | null,
): Promise<void> {
  const names = distinctNames([...keys, ...[...userIds].filter((id) => id.includes('@'))]);
  if (names.length > 0) await shareNames(em, tenant);
  await refuseFencedUsers(em, users, organizations);
  if (names.length > 0) await refuseFencedNames(em, tenant, names, organizations);
  await learnAddresses(em, tenant, users, addresses);
}
