import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf } from '../../platform/database/statements.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { MembershipLevel } from './membership-level.ts';

/** Counts exactly, within the statement timeout. With `userId` the count is 0 or 1. */
export async function countMembers(
  em: EntityManager,
  tenant: Tenant,
  level: MembershipLevel,
  userId: string | undefined,
): Promise<number> {
  let members = tablesOf(em)
    .selectFrom('access')
    .where('api_key_id', '=', tenant.id)
    .where('kind', '=', level.kind)
    .where('resource_id', '=', level.resource)
    .where('is_member', 'is', true);
  if (userId !== undefined) members = members.where('user_ext', '=', userId);
  const { count } = await members
    .select(sql<number>`count(*)::integer`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Counts users that belong to at least one document of the organization. Reads the few deleted documents first and
 * excludes them.
 */
export async function countDocumentUsers(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  userId: string | undefined,
): Promise<number> {
  const { count } = await onlyRowOf(
    em,
    CountRow,
    sql`with gone as (
        select id from document where org_id = ${organization.id} and ext_id is null
        union all
        select d.id from folder f join document d on d.folder_id = f.id where f.org_id = ${organization.id} and f.ext_id is null)
      select count(*)::integer as count from (
        select distinct a.user_id from access a left join gone g on g.id = a.resource_id
        where a.api_key_id = ${tenant.id} and a.org_id = ${organization.id} and a.kind = ${sql.lit(resourceKindNumbers.document)}
          and a.is_member and g.id is null ${userId === undefined ? sql`` : sql`and a.user_ext = ${userId}`}) as users`,
  );
  return count;
}

const CountRow = z.strictObject({ count: z.number() });
