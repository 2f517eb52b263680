import { failedPrecondition } from '../errors.ts';
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

/**
 * Every write that names users calls this first. Makes bare rows for ids that have none, locks all rows FOR KEY SHARE in
 * the order of their keys, then `fence` may be read: a deletion that fences a user waits for writers that hold the row.
 */
export async function lockUsers(
  em: EntityManager,
  tenant: Tenant,
  userIds: readonly string[],
): Promise<LockedUsers> {
  const ids = [...new Set(userIds)];
  if (ids.length === 0) return new Map();
  let locked = await lock(em, tenant, ids);
  if (locked.length < ids.length) {
    const known = new Set(locked.map(({ ext_id }) => ext_id));
    await rows(
      em,
      `insert into app_user (api_key_id, ext_id) select $1, id from unnest($2::text[]) as t (id)
       order by id collate "C" on conflict (api_key_id, ext_id) do nothing`,
      [tenant.id, ids.filter((id) => !known.has(id))],
    );
    locked = await lock(em, tenant, ids);
  }
  return new Map(locked.map(({ ext_id, id }) => [ext_id, id]));
}

async function lock(em: EntityManager, tenant: Tenant, ids: readonly string[]): Promise<UserRow[]> {
  return rows(
    em,
    'select id, ext_id from app_user where api_key_id = $1 and ext_id = any($2) order by id for key share',
    [tenant.id, ids],
  );
}

interface FenceRow {
  ext_id: string;
  job_id: string;
}

/**
 * Refuses the call when a named user is under deletion in this organization, in one of these, or, with null, anywhere.
 * Must be a statement of its own after `lockUsers`: a condition inside the locking statement would keep its old snapshot and let the write pass.
 */
export async function refuseFencedUsers(
  em: EntityManager,
  users: LockedUsers,
  organization: string | readonly string[] | null,
): Promise<void> {
  if (users.size === 0) return;
  const organizations = typeof organization === 'string' ? [organization] : organization;
  const fenced = await rows<FenceRow>(
    em,
    `select u.ext_id, j.public_id as job_id
     from user_deletion d join app_user u on u.id = d.user_id join job j on j.id = d.job_id
     where d.user_id = any($1) and d.fenced_at is not null and d.ended_at is null
       and ($2::bigint[] is null
         or not exists (select from user_deletion_organization o where o.job_id = d.job_id)
         or exists (select from user_deletion_organization o where o.job_id = d.job_id and o.org_id = any($2)))
     order by d.user_id limit 100`,
    [[...users.values()], organizations],
  );
  const [first] = fenced;
  if (first === undefined) return;
  throw failedPrecondition(messages.userDeletionRunning, {
    userIds: [...new Set(fenced.map(({ ext_id }) => ext_id))],
    jobId: first.job_id,
  });
}
