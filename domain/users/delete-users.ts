import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { lockKnownUsers } from './lock-known-users.ts';
import { refuseFencedUsers, type LockedUsers } from './lock-users.ts';
import { lockLevel, type LevelRequest } from './membership-level.ts';
import { userTexts } from './user-texts.ts';
import { lookUpAccessByIndex } from './write-users.ts';

/**
 * Takes membership and role of one level; from an organization, those of its documents, folders and groups as well.
 * Grants stay, and so does the person.
 */
export async function deleteUsers(
  em: EntityManager,
  tenant: Tenant,
  place: LevelRequest,
  userIds: readonly string[],
): Promise<Outcomes> {
  const level = await lockLevel(em, tenant, place);
  const locked = await lockKnownUsers(em, tenant, userIds);
  await refuseFencedUsers(em, locked, level.organization);
  await lookUpAccessByIndex(em);
  const whole = level.kind === resourceKindNumbers.organization;
  const removed = await rows<{ user_id: string }>(em, removal(whole), [
    tenant.id,
    level.organization,
    [...locked.values()],
    [...locked.keys()],
    ...(whole ? [] : [level.kind, level.resource]),
  ]);
  if (whole) await leaveGroups(em, tenant, level.organization, locked);
  const gone = new Set(removed.map(({ user_id }) => user_id));
  return outcomes(userIds, new Set([...locked].filter(([, id]) => gone.has(id)).map(([userId]) => userId)), {
    ok: () => done('User removed.'),
    otherwise: () => failed('not-found', userTexts.missing),
  });
}

/**
 * A row that holds neither membership nor grant says nothing and goes. Users are named by key and by id, and kinds one by
 * one: then each index that the planner may take leads to their rows alone.
 */
const removal = (whole: boolean): string => `
  with gone as (
    select user_id, user_ext, kind, resource_id, grant_role is null as empty from access
    where api_key_id = $1 and org_id = $2 and user_id = any($3) and user_ext = any($4) and is_member ${whole ? 'and kind in (1, 2, 3)' : 'and kind = $5 and resource_id = $6'}
    order by user_id, kind, resource_id for update),
  deleted as (
    delete from access a using gone g
    where g.empty and a.user_id = g.user_id and a.user_ext = g.user_ext and a.kind = g.kind and a.resource_id = g.resource_id),
  cleared as (
    update access a set is_member = false, member_role = null from gone g
    where not g.empty and a.user_id = g.user_id and a.user_ext = g.user_ext and a.kind = g.kind and a.resource_id = g.resource_id)
  select distinct user_id from gone`;

/** A group holds members of its organization alone. */
async function leaveGroups(
  em: EntityManager,
  tenant: Tenant,
  organization: string,
  users: LockedUsers,
): Promise<void> {
  await rows(
    em,
    `delete from user_group_member m using user_group g
     where m.api_key_id = $1 and m.user_id = any($3) and m.user_ext = any($4) and g.id = m.group_id and g.org_id = $2`,
    [tenant.id, organization, [...users.values()], [...users.keys()]],
  );
}
