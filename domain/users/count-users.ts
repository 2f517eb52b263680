import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { row } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { Level } from './membership-level.ts';

/** Exact; takes as long as a statement may. With `userId` 0 or 1. */
export async function countMembers(
  em: EntityManager,
  tenant: Tenant,
  level: Level,
  userId: string | undefined,
): Promise<number> {
  const found = await row<{ count: number }>(
    em,
    `select count(*)::integer as count from access
     where api_key_id = $1 and kind = $2 and resource_id = $3 and is_member ${userId === undefined ? '' : 'and user_ext = $4'}`,
    [tenant.id, level.kind, level.resource, ...(userId === undefined ? [] : [userId])],
  );
  return found?.count ?? 0;
}

/** Of users that belong to at least one document of the organization. What is deleted is few, and looked up the other way round. */
export async function countDocumentUsers(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  userId: string | undefined,
): Promise<number> {
  const found = await row<{ count: number }>(
    em,
    `with gone as (
       select id from document where org_id = $2 and ext_id is null
       union all
       select d.id from folder f join document d on d.folder_id = f.id where f.org_id = $2 and f.ext_id is null)
     select count(*)::integer as count from (
       select distinct a.user_id from access a left join gone g on g.id = a.resource_id
       where a.api_key_id = $1 and a.org_id = $2 and a.kind = ${String(resourceKindNumbers.document)} and a.is_member
         and g.id is null ${userId === undefined ? '' : 'and a.user_ext = $3'}) as users`,
    [tenant.id, organization.id, ...(userId === undefined ? [] : [userId])],
  );
  return found?.count ?? 0;
}
