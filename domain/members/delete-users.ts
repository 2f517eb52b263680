import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import { isVisible } from '../documents/resolve-document.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { refusingFencedFirst } from '../users/refusing-fenced-first.ts';
import { lockKnownUsers } from '../users/lock-known-users.ts';
import { refuseFencedUsers, type LockedUsers } from '../users/lock-users.ts';
import { userTexts } from '../users/user-texts.ts';
import { lockLevel, type MembershipLevel, type LevelRequest } from './membership-level.ts';
import { lookupAccessByIndex } from './write-users.ts';

/**
 * Removes membership and role at one level. Removal from an organization includes its documents, folders and groups.
 * Grants and the user's profile are kept. The time limit of the statement is the only bound on the rows of one user.
 */
export async function deleteUsers(
  em: EntityManager,
  tenant: Tenant,
  request: LevelRequest,
  userIds: readonly string[],
): Promise<Outcomes> {
  const named = { organizationId: request.organizationId, userIds };
  const level = await refusingFencedFirst(em, tenant, named, async () => lockLevel(em, tenant, request));
  const locked = await lockKnownUsers(em, tenant, userIds);
  await refuseFencedUsers(em, locked, [level.organization]);
  await lookupAccessByIndex(em);
  const whole = level.kind === resourceKindNumbers.organization;
  const removed = await rowsOf(em, RemovedRow, removal(tenant, level, locked, whole));
  if (whole) await leaveGroups(em, tenant, level.organization, locked);
  const gone = new Set(removed.map(({ user_id }) => user_id));
  return outcomes(userIds, new Set([...locked].filter(([, id]) => gone.has(id)).map(([userId]) => userId)), {
    ok: () => done('User removed.'),
    otherwise: () => failed('not-found', userTexts.missing),
  });
}

const RemovedRow = z.strictObject({ user_id: z.string() });

const everyKind = sql.join(Object.values(resourceKindNumbers).map((kind) => sql.lit(kind)));
const { organization, folder, document } = resourceKindNumbers;

/**
 * Deletes rows without a grant and clears the membership of the others. Conditions name users by key and by id, and each
 * kind, so that every index the planner may choose reads only their rows. Rows of deleted folders and documents go too, but
 * do not count: the job that removes them may not have reached them yet.
 */
const removal = (tenant: Tenant, level: MembershipLevel, users: LockedUsers, whole: boolean) => sql`
  with gone as (
    select user_id, user_ext, kind, resource_id, grant_role is null as empty from access
    where api_key_id = ${tenant.id} and org_id = ${level.organization} and user_id = any(${[...users.values()]})
      and user_ext = any(${[...users.keys()]}) and is_member
      and ${whole ? sql`kind in (${everyKind})` : sql`kind = ${level.kind} and resource_id = ${level.resource}`}
    order by user_id, kind, resource_id for update),
  deleted as (
    delete from access a using gone g
    where g.empty and a.user_id = g.user_id and a.user_ext = g.user_ext and a.kind = g.kind and a.resource_id = g.resource_id),
  cleared as (
    update access a set is_member = false, member_role = null from gone g
    where not g.empty and a.user_id = g.user_id and a.user_ext = g.user_ext and a.kind = g.kind and a.resource_id = g.resource_id)
  select distinct g.user_id from gone g
  where g.kind = ${sql.lit(organization)}
    or (g.kind = ${sql.lit(folder)} and exists (select from folder f where f.id = g.resource_id and f.deleted_at is null))
    or (g.kind = ${sql.lit(document)} and exists (
      select from document d where d.id = g.resource_id and d.deleted_at is null and ${isVisible}))`;

/** Removes users from all groups of an organization they leave: only members may be in its groups. */
async function leaveGroups(
  em: EntityManager,
  tenant: Tenant,
  organization: string,
  users: LockedUsers,
): Promise<void> {
  await sql`delete from user_group_member m using user_group g
    where m.api_key_id = ${tenant.id} and m.user_id = any(${[...users.values()]}) and m.user_ext = any(${[...users.keys()]})
      and g.id = m.group_id and g.org_id = ${organization}`.execute(tablesOf(em));
}
