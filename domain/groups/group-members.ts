import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf, rowsOf } from '../../platform/database/statements.ts';
import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockKnownUsers } from '../users/lock-known-users.ts';
import { refuseFencedUsers } from '../users/lock-users.ts';
import { userTexts } from '../users/user-texts.ts';
import { tablesOf } from '../tables.ts';
import type { ResolvedGroup } from './resolve-group.ts';

/** A group with its organization and its id on the wire. */
export type NamedGroup = ResolvedGroup & {
  readonly organization: ResolvedOrganization;
  readonly organizationUserGroupId: string;
};

type MemberOutcomes = Outcomes<Pick<NamedGroup, 'organizationUserGroupId'>>;

const MemberRow = z.strictObject({ user_ext: z.string() });

/** Adds members of the organization to a group; other users fail alone. Locks their memberships until the commit. */
export async function addGroupMembers(
  em: EntityManager,
  tenant: Tenant,
  group: NamedGroup,
  userIds: readonly string[],
): Promise<MemberOutcomes> {
  const locked = await lockKnownUsers(em, tenant, userIds);
  await refuseFencedUsers(em, locked, [group.organization.id]);
  const members = await rowsOf(
    em,
    MemberRow,
    sql`with member as (
        select user_id, user_ext from access
        where api_key_id = ${tenant.id} and user_id = any(${[...locked.values()]}) and user_ext = any(${[...locked.keys()]})
          and kind = ${resourceKindNumbers.organization} and resource_id = ${group.organization.id} and is_member
        order by user_id for share),
      joined as (
        insert into user_group_member (group_id, user_id, user_ext, api_key_id)
        select ${group.id}, user_id, user_ext, ${tenant.id} from member order by user_ext
        on conflict (group_id, user_ext) do nothing)
      select user_ext from member`,
  );
  return byMember(group, userIds, members, 'User added to organization user group.');
}

/** Removes users from a group. A user who is not in the group fails alone. */
export async function deleteGroupMembers(
  em: EntityManager,
  tenant: Tenant,
  group: NamedGroup,
  userIds: readonly string[],
): Promise<MemberOutcomes> {
  const locked = await lockKnownUsers(em, tenant, userIds);
  await refuseFencedUsers(em, locked, [group.organization.id]);
  const left = await tablesOf(em)
    .deleteFrom('user_group_member')
    .where((row) => row.and({ api_key_id: tenant.id, group_id: group.id }))
    .where('user_ext', '=', anyOf(userIds))
    .returning('user_ext')
    .execute();
  return byMember(group, userIds, left, 'User deleted from organization user group.');
}

/** Removes all users from a group. Returns their number. */
export async function emptyGroup(em: EntityManager, tenant: Tenant, group: NamedGroup): Promise<number> {
  const { numDeletedRows } = await tablesOf(em)
    .deleteFrom('user_group_member')
    .where((row) => row.and({ api_key_id: tenant.id, group_id: group.id }))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

function byMember(
  { organizationUserGroupId }: NamedGroup,
  userIds: readonly string[],
  members: readonly z.infer<typeof MemberRow>[],
  message: string,
): MemberOutcomes {
  return outcomes(userIds, new Set(members.map(({ user_ext }) => user_ext)), {
    ok: () => done(message, { organizationUserGroupId }),
    otherwise: () => ({ ...failed('not-found', userTexts.missing), organizationUserGroupId }),
  });
}
