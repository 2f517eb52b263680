import { DomainError, failedPrecondition } from '../errors.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

/** Surrogate keys by the customer's user id. */
export type LockedUsers = ReadonlyMap<string, string>;

interface UserRow {
  id: string;
  ext_id: string;
}

/** Rounds in which a row that was found, or made, may be gone again before it could be locked: each takes a deletion that ends. */
const mostRounds = 3;

/**
 * SQL: nobody is deleting the person `u` of the tenant `$1` everywhere. Writers leave such a row alone: a deletion that
 * ends waits for the row alone, and would wait for ever while one writer after the other shares it to be refused. It is no
 * fence: who reads it may have waited for the row with an older view of what is there.
 */
export const notDeleted = `not exists (
  select from user_deletion d where d.api_key_id = $1 and d.user_ext_id = u.ext_id and d.fenced_at is not null and d.ended_at is null
    and not exists (select from user_deletion_organization o where o.job_id = d.job_id))`;

/**
 * Every write that names users calls this first. Makes bare rows for ids that have none, locks all rows FOR KEY SHARE in
 * the order of their keys, then `fence` may be read: a deletion that fences a user waits for writers that hold the row.
 * Answers every id that was named, or throws: FAILED_PRECONDITION, or ABORTED.
 */
export async function lockUsers(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  userIds: readonly string[],
): Promise<LockedUsers> {
  return lockOrMake(em, tenant, userIds, `and ${notDeleted}`);
}

/** The same for a deletion, which others do not keep from naming anyone. */
export async function lockForDeletion(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  userIds: readonly string[],
): Promise<LockedUsers> {
  return lockOrMake(em, tenant, userIds, '');
}

async function lockOrMake(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  userIds: readonly string[],
  condition: string,
): Promise<LockedUsers> {
  const ids = [...new Set(userIds)];
  if (ids.length === 0) return new Map();
  let locked = await lock(em, tenant, ids, condition);
  for (let round = 0; locked.length < ids.length; round += 1) {
    if (round === mostRounds) throw new DomainError('ABORTED', messages.aborted);
    const known = new Set(locked.map(({ ext_id }) => ext_id));
    const missing = ids.filter((id) => !known.has(id));
    if (condition !== '') await refuseDeleted(em, tenant, missing);
    await insertBare(em, tenant, missing);
    locked = await lock(em, tenant, ids, condition);
  }
  return new Map(locked.map(({ ext_id, id }) => [ext_id, id]));
}

/** An id that looks like an address is an address too: found in every letter case. */
async function insertBare(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  ids: readonly string[],
): Promise<void> {
  await rows(
    em,
    `with made as (
       insert into app_user (api_key_id, ext_id) select $1, id from unnest($2::text[]) as t (id)
       order by id collate "C" on conflict (api_key_id, ext_id) do nothing returning id, ext_id)
     insert into user_address (api_key_id, address, user_id)
     select $1, s.address, m.id from made m join unnest($2::text[], $3::text[]) as s (id, address) on s.id = m.ext_id
     where s.address is not null`,
    [tenant.id, ids, ids.map((id) => (id.includes('@') ? id.toLowerCase() : null))],
  );
}

async function lock(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  ids: readonly string[],
  condition: string,
): Promise<UserRow[]> {
  return rows(
    em,
    `select id, ext_id from app_user u where api_key_id = $1 and ext_id = any($2) ${condition} order by id for key share of u`,
    [tenant.id, ids],
  );
}

/**
 * SQL: whether a row `d` of `user_deletion` is a fence that stands in one of the organizations of a parameter, of which
 * null is anywhere. A deletion that names no organization stands everywhere.
 */
export const fenceStands = (organizations: string): string => `
  d.fenced_at is not null and d.ended_at is null
  and (${organizations} is null
    or not exists (select from user_deletion_organization o where o.job_id = d.job_id)
    or exists (select from user_deletion_organization o where o.job_id = d.job_id and o.org_id = any(${organizations})))`;

export interface FenceRow {
  ext_id: string;
  job_id: string;
}

/**
 * Refuses the call when a named user is under deletion in this organization, in one of these, or, with null, anywhere.
 * Must be a statement of its own after `lockUsers`: a condition inside the locking statement would keep its old snapshot and let the write pass.
 * Looks for the customer's id: a fence outlives the row of the person, which another deletion may have removed.
 */
export async function refuseFencedUsers(
  em: EntityManager,
  users: LockedUsers,
  organization: string | readonly string[] | null,
): Promise<void> {
  const [someone] = users.values();
  if (someone === undefined) return;
  const organizations = typeof organization === 'string' ? [organization] : organization;
  const tenant = '(select u.api_key_id from app_user u where u.id = $1)';
  await refuse(em, tenant, [someone, [...users.keys()], organizations]);
}

/**
 * Whether anything fences one of these people somewhere, by the customer's ids: mostly not, and then `refuseFencedUsers` has
 * nothing to find. Likewise a statement of its own behind the one that locks them; it may be sent along with that.
 */
export async function someFenced(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  userIds: readonly string[],
): Promise<boolean> {
  const fenced = await rows(
    em,
    `select from user_deletion d where d.api_key_id = $1 and d.user_ext_id = any($2)
       and d.fenced_at is not null and d.ended_at is null limit 1`,
    [tenant.id, userIds],
  );
  return fenced.length > 0;
}

/** `parameters`: of the SQL for the tenant's key, then the customer's ids of users, and the organizations. */
async function refuse(em: EntityManager, tenant: string, parameters: readonly unknown[]): Promise<void> {
  const fenced = await rows<FenceRow>(
    em,
    `select d.user_ext_id as ext_id, j.public_id as job_id from user_deletion d join job j on j.id = d.job_id
     where d.api_key_id = ${tenant} and d.user_ext_id = any($2) and ${fenceStands('$3::bigint[]')}
     order by d.job_id, d.user_id limit 100`,
    parameters,
  );
  refuseFound(fenced);
}

/** Throws when there is a fence. */
export function refuseFound(fenced: readonly FenceRow[]): void {
  const [first] = fenced;
  if (first === undefined) return;
  throw failedPrecondition(messages.userDeletionRunning, {
    userIds: [...new Set(fenced.map(({ ext_id }) => ext_id))],
    jobId: first.job_id,
  });
}

/** Refuses users whom `notDeleted` has left unlocked. */
export async function refuseDeleted(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  userIds: readonly string[],
): Promise<void> {
  await refuse(em, '$1::bigint', [tenant.id, userIds, []]);
}
