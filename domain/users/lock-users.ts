import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf, rowsOf } from '../../platform/database/statements.ts';
import { createAndLock } from '../create-and-lock.ts';
import { failedPrecondition } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';

/** Surrogate keys by the customer's user id. */
export type LockedUsers = ReadonlyMap<string, string>;

/** SQL: whether a row of `user_deletion` is a write fence; `row`: the name of its table in the statement. */
export const isFence = (row: string) =>
  sql<boolean>`(${sql.ref(`${row}.fenced_at`)} is not null and ${sql.ref(`${row}.ended_at`)} is null)`;

/** Result row of `lockingUsers`. */
export const LockedRow = z.strictObject({ id: z.string(), ext_id: z.string() });

/**
 * SQL: whether no deletion of the user `u` from all organizations runs. Writers skip such rows, since their shared locks
 * would starve the deletion's exclusive lock. Not a write fence: it may read an older snapshot after a lock wait.
 */
export const notFencedEverywhere = (tenantId: string) => sql<boolean>`not exists (
  select from user_deletion d
  where d.api_key_id = ${tenantId} and d.user_ext_id = u.ext_id and ${isFence('d')}
    and not exists (select from user_deletion_organization o where o.job_id = d.job_id))`;

/** SQL: locks the existing users FOR KEY SHARE, in key order. */
export const lockingUsers = (
  tenantId: string,
  userIds: readonly string[],
  condition: RawBuilder<unknown> = notFencedEverywhere(tenantId),
) => sql`select id, ext_id from app_user u where api_key_id = ${tenantId} and ext_id = any(${userIds}) and ${condition}
  order by id for key share of u`;

/**
 * Locks users FOR KEY SHARE in key order and creates bare rows for unknown ids. Every write that names users calls this
 * before it reads the write fence. A deletion that fences a user waits for writers that hold the row. Returns every id,
 * or throws FAILED_PRECONDITION or ABORTED.
 */
export async function lockUsers(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  userIds: readonly string[],
): Promise<LockedUsers> {
  return lockOrCreate(em, tenant, userIds, notFencedEverywhere(tenant.id));
}

/** Like `lockUsers`, for a deletion, which other deletions do not block. */
export async function lockForDeletion(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  userIds: readonly string[],
): Promise<LockedUsers> {
  return lockOrCreate(em, tenant, userIds, undefined);
}

async function lockOrCreate(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  userIds: readonly string[],
  condition: RawBuilder<unknown> | undefined,
): Promise<LockedUsers> {
  const ids = [...new Set(userIds)];
  if (ids.length === 0) return new Map();
  const locking = lockingUsers(tenant.id, ids, condition ?? sql`true`);
  let locked = await rowsOf(em, LockedRow, locking);
  const createMissing = async (): Promise<void> => {
    const known = new Set(locked.map(({ ext_id }) => ext_id));
    const missing = ids.filter((id) => !known.has(id));
    if (condition !== undefined) await refuseFencedEverywhere(em, tenant, missing);
    await insertBare(em, tenant, missing);
  };
  if (locked.length < ids.length)
    await createAndLock(createMissing, async () => {
      locked = await rowsOf(em, LockedRow, locking);
      return locked.length === ids.length || undefined;
    });
  return new Map(locked.map(({ ext_id, id }) => [ext_id, id]));
}

/** An id with `@` is also indexed as an address, case-insensitively. */
async function insertBare(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  ids: readonly string[],
): Promise<void> {
  const addresses = ids.map((id) => (id.includes('@') ? id.toLowerCase() : null));
  const created = await rowsOf(
    em,
    CreatedRow,
    sql`with made as (
      insert into app_user (api_key_id, ext_id) select ${tenant.id}, id from unnest(${ids}::text[]) as t (id)
      order by id collate "C" on conflict (api_key_id, ext_id) do nothing returning id, ext_id),
      addressed as (
        insert into user_address (api_key_id, address, user_id)
        select ${tenant.id}, s.address, m.id
        from made m join unnest(${ids}::text[], ${addresses}::text[]) as s (id, address) on s.id = m.ext_id
        where s.address is not null)
      select id from made`,
  );
  countUsage(em, tenant.id, 'users', created.length);
}

const CreatedRow = z.strictObject({ id: z.string() });

/** SQL: whether the deletion of a row `d` of `user_deletion` includes the organization. One that names none includes all. */
const includes = (organization: RawBuilder<unknown>) => sql`(
  not exists (select from user_deletion_organization o where o.job_id = d.job_id)
  or exists (select from user_deletion_organization o where o.job_id = d.job_id and o.org_id = ${organization}))`;

/** SQL: whether a row `d` of `user_deletion` is a write fence in one of the organizations (null: in any). */
export const fenceStands = (organizations: readonly string[] | null) => sql<boolean>`(
  ${isFence('d')}
  and (${organizations}::bigint[] is null or ${includes(sql`any(${organizations}::bigint[])`)}))`;

/** SQL: whether a row `d` of `user_deletion` is a write fence in the organization with this key, an SQL expression. */
export const fenceStandsIn = (organization: RawBuilder<unknown>) =>
  sql<boolean>`(${isFence('d')} and ${includes(organization)})`;

export const FenceRow = z.strictObject({ ext_id: z.string(), job_id: z.string() });

/**
 * Throws FAILED_PRECONDITION if a user is fenced in one of the organizations (null: in any). Must run as a separate
 * statement after `lockUsers`: the locking statement would read the fence in its old snapshot. Compares customer's ids,
 * because a fence outlives the user's row.
 */
export async function refuseFencedUsers(
  em: EntityManager,
  users: LockedUsers,
  organizations: readonly string[] | null,
): Promise<void> {
  const [anyUser] = users.values();
  if (anyUser === undefined) return;
  await refuse(
    em,
    sql`(select u.api_key_id from app_user u where u.id = ${anyUser})`,
    [...users.keys()],
    organizations,
  );
}

/**
 * Returns whether one of these users is fenced in any organization. If not, `refuseFencedUsers` can be skipped. Must also
 * run as a separate statement after the locking one.
 */
export async function anyFenced(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  userIds: readonly string[],
): Promise<boolean> {
  const fenced = await fencesOf(em, tenant).where('user_ext_id', '=', anyOf(userIds)).executeTakeFirst();
  return fenced !== undefined;
}

/** SQL: one of the write fences of the tenant. */
export const fencesOf = (em: EntityManager, tenant: Pick<Tenant, 'id'>) =>
  tablesOf(em)
    .selectFrom('user_deletion')
    .select('user_id')
    .where('api_key_id', '=', tenant.id)
    .where(isFence('user_deletion'))
    .limit(sql.lit(1));

async function refuse(
  em: EntityManager,
  tenantId: RawBuilder<unknown>,
  userIds: readonly string[],
  organizations: readonly string[] | null,
): Promise<void> {
  const fenced = await rowsOf(
    em,
    FenceRow,
    sql`select d.user_ext_id as ext_id, j.public_id as job_id from user_deletion d join job j on j.id = d.job_id
      where d.api_key_id = ${tenantId} and d.user_ext_id = any(${userIds}) and ${fenceStands(organizations)}
      order by d.job_id, d.user_id limit 1000`,
  );
  throwFences(fenced);
}

/** Throws FAILED_PRECONDITION if there is a fence. */
export function throwFences(fenced: readonly z.infer<typeof FenceRow>[]): void {
  const [first] = fenced;
  if (first === undefined) return;
  throw failedPrecondition(messages.userDeletionRunning, {
    userIds: [...new Set(fenced.map(({ ext_id }) => ext_id))],
    jobId: first.job_id,
  });
}

/** Throws FAILED_PRECONDITION for users that `notFencedEverywhere` left unlocked. */
export async function refuseFencedEverywhere(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  userIds: readonly string[],
): Promise<void> {
  await refuseFencedIds(em, tenant, userIds, []);
}

/** Like `refuseFencedUsers`, for users that need no rows. */
export async function refuseFencedIds(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  userIds: readonly string[],
  organizations: readonly string[],
): Promise<void> {
  await refuse(em, sql`${tenant.id}::bigint`, userIds, organizations);
}
