import type { NamedGroup } from '../../domain/groups/group-members.ts';
import { lockGroup } from '../../domain/groups/resolve-group.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { idOf } from '../schemas.ts';

/** Request members that identify a group. */
export const groupMembers = {
  organizationId: idOf('the organization'),
  organizationUserGroupId: idOf('the user group'),
};

/** Locks the organization and the group that a request names. Throws NOT_FOUND when either is missing. */
export async function lockNamedGroup(
  em: EntityManager,
  tenant: Tenant,
  {
    organizationId,
    organizationUserGroupId,
  }: { readonly organizationId: string; readonly organizationUserGroupId: string },
): Promise<NamedGroup> {
  const organization = await lockOrganization(em, tenant, organizationId);
  const { id } = await lockGroup(em, tenant, organization, organizationUserGroupId);
  return { id, organization, organizationUserGroupId };
}
