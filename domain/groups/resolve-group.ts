import { notFound } from '../errors.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { userTexts } from '../users/user-texts.ts';
import { row, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

/** A group of users as statements name it. */
export interface ResolvedGroup {
  readonly id: string;
}

/** For a write: locks the row FOR KEY SHARE. Throws NOT_FOUND for a group that the organization does not have. */
export async function lockGroup(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  groupId: string,
): Promise<ResolvedGroup> {
  const found = await row<ResolvedGroup>(
    em,
    'select id from user_group where api_key_id = $1 and org_id = $2 and ext_id = $3 for key share',
    [tenant.id, organization.id, groupId],
  );
  if (found === undefined) throw notFound(userTexts.groupMissing);
  return found;
}

/** For a filter: the surrogate keys of those that exist. */
export async function findGroups(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  groupIds: readonly string[],
): Promise<string[]> {
  const found = await rows<ResolvedGroup>(
    em,
    'select id from user_group where api_key_id = $1 and org_id = $2 and ext_id = any($3)',
    [tenant.id, organization.id, groupIds],
  );
  return found.map(({ id }) => id);
}
