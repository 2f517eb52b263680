import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf } from '../../platform/database/statements.ts';
import { notFound } from '../errors.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { userTexts } from '../users/user-texts.ts';
import { tablesOf } from '../tables.ts';

/** A user group by its surrogate key. */
export interface ResolvedGroup {
  readonly id: string;
}

/** Locks a group FOR KEY SHARE for a write. Throws NOT_FOUND for a group that the organization does not have. */
export async function lockGroup(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  groupId: string,
): Promise<ResolvedGroup> {
  const found = await groupsOf(em, tenant, organization)
    .where('ext_id', '=', groupId)
    .forKeyShare()
    .executeTakeFirst();
  if (found === undefined) throw notFound(userTexts.groupMissing);
  return found;
}

/** Returns the surrogate keys of the groups that exist, for a filter. */
export async function findGroups(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  groupIds: readonly string[],
): Promise<string[]> {
  const found = await groupsOf(em, tenant, organization).where('ext_id', '=', anyOf(groupIds)).execute();
  return found.map(({ id }) => id);
}

const groupsOf = (em: EntityManager, tenant: Tenant, organization: ResolvedOrganization) =>
  tablesOf(em)
    .selectFrom('user_group')
    .select('id')
    .where((row) => row.and({ api_key_id: tenant.id, org_id: organization.id }));
