import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockKnownUsers } from '../users/lock-known-users.ts';
import { refuseFencedUsers } from '../users/lock-users.ts';
import { userTexts } from '../users/user-texts.ts';
import { row, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { ResolvedGroup } from './resolve-group.ts';

/** Which group, and what names it on the wire. */
export type NamedGroup = ResolvedGroup & {
  readonly organization: ResolvedOrganization;
  readonly organizationUserGroupId: string;
};

/** Members of the organization join; anyone else fails alone. The membership that lets them in is held until the commit. */
export async function addGroupMembers(
  em: EntityManager,
  tenant: Tenant,
  group: NamedGroup,
  userIds: readonly string[],
): Promise<Outcomes> {
  const locked = await lockKnownUsers(em, tenant, userIds);
  await refuseFencedUsers(em, locked, group.organization.id);
  const members = await rows<{ user_ext: string }>(
    em,
    `with member as (
       select user_id, user_ext from access
       where api_key_id = $1 and user_id = any($3) and user_ext = any($5) and kind = ${String(resourceKindNumbers.organization)} and resource_id = $4 and is_member
       order by user_id for share),
     joined as (
       insert into user_group_member (group_id, user_id, user_ext, api_key_id)
       select $2, user_id, user_ext, $1 from member order by user_ext on conflict (group_id, user_ext) do nothing)
     select user_ext from member`,
    [tenant.id, group.id, [...locked.values()], group.organization.id, [...locked.keys()]],
  );
  return byMember(group, userIds, members, 'User added to organization user group.');
}

/** Who is not in the group fails alone. */
export async function deleteGroupMembers(
  em: EntityManager,
  tenant: Tenant,
  group: NamedGroup,
  userIds: readonly string[],
): Promise<Outcomes> {
  const locked = await lockKnownUsers(em, tenant, userIds);
  await refuseFencedUsers(em, locked, group.organization.id);
  const left = await rows<{ user_ext: string }>(
    em,
    `delete from user_group_member where api_key_id = $1 and group_id = $2 and user_ext = any($3) returning user_ext`,
    [tenant.id, group.id, userIds],
  );
  return byMember(group, userIds, left, 'User deleted from organization user group.');
}

/** How many there were. */
export async function emptyGroup(em: EntityManager, tenant: Tenant, group: NamedGroup): Promise<number> {
  const found = await row<{ count: number }>(
    em,
    `with gone as (delete from user_group_member where api_key_id = $1 and group_id = $2 returning 1)
     select count(*)::integer as count from gone`,
    [tenant.id, group.id],
  );
  return found?.count ?? 0;
}

function byMember(
  { organizationUserGroupId }: NamedGroup,
  userIds: readonly string[],
  members: readonly { readonly user_ext: string }[],
  message: string,
): Outcomes {
  return outcomes(userIds, new Set(members.map(({ user_ext }) => user_ext)), {
    ok: () => done(message, { organizationUserGroupId }),
    otherwise: () => failed('not-found', userTexts.missing),
  });
}
