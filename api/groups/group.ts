import type { NamedGroup } from '../../domain/groups/group-members.ts';
import { lockGroup } from '../../domain/groups/resolve-group.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { refusingFencedFirst } from '../../domain/users/refusing-fenced-first.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { idOf } from '../schemas.ts';

/** Request members that identify a group. */
export const groupMembers = {
  organizationId: idOf('the organization'),
  organizationUserGroupId: idOf('the user group'),
};

/**
 * Locks the organization and the group that a request names. Throws NOT_FOUND when either is missing, and before that
 * FAILED_PRECONDITION for a fenced user.
 */
export async function lockNamedGroup(
  em: EntityManager,
  tenant: Tenant,
  {
    organizationId,
    organizationUserGroupId,
    userIds = [],
  }: {
    readonly organizationId: string;
    readonly organizationUserGroupId: string;
    readonly userIds?: readonly string[] | undefined;
  },
): Promise<NamedGroup> {
  return refusingFencedFirst(em, tenant, { organizationId, userIds }, async () => {
    const organization = await lockOrganization(em, tenant, organizationId);
    const { id } = await lockGroup(em, tenant, organization, organizationUserGroupId);
    return { id, organization, organizationUserGroupId };
  });
}
