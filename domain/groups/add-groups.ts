import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { done, type Outcomes } from '../batch.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';

export interface GroupInput {
  readonly organizationUserGroupId: string;
  /** Absent: a new group is named by its id; an existing group keeps its name. */
  readonly groupName?: string | undefined;
}

const AddedRow = z.strictObject({ ext_id: z.string() });

/** Adds user groups and renames existing ones. Writes rows in id order, so that concurrent batches do not deadlock. */
export async function addGroups(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  groups: readonly GroupInput[],
): Promise<Outcomes> {
  const ids = groups.map(({ organizationUserGroupId }) => organizationUserGroupId);
  const names = groups.map(({ groupName }) => groupName ?? null);
  const added = await rowsOf(
    em,
    AddedRow,
    sql`insert into user_group (api_key_id, org_id, ext_id, name)
      select ${tenant.id}, ${organization.id}, t.ext_id, coalesce(t.name, t.ext_id)
      from unnest(${ids}::text[], ${names}::text[]) as t (ext_id, name) order by t.ext_id collate "C"
      on conflict (org_id, ext_id) do nothing returning ext_id`,
  );
  countUsage(em, tenant.id, 'userGroups', added.length);
  const isNew = new Set(added.map(({ ext_id }) => ext_id));
  const renamed = groups.filter(
    (group) => group.groupName !== undefined && !isNew.has(group.organizationUserGroupId),
  );
  if (renamed.length > 0) await rename(em, tenant, organization, renamed);
  return new Map(ids.map((id) => [id, done('Organization user group added.')]));
}

/** A statement of its own, which sees a group that a concurrent call has just added. */
async function rename(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  groups: readonly GroupInput[],
): Promise<void> {
  const ids = groups.map(({ organizationUserGroupId }) => organizationUserGroupId);
  const names = groups.map(({ groupName }) => groupName);
  await sql`with named as (
      select g.id, s.name from user_group g
      join unnest(${ids}::text[], ${names}::text[]) as s (ext_id, name) on s.ext_id = g.ext_id
      where g.api_key_id = ${tenant.id} and g.org_id = ${organization.id} and g.ext_id = any(${ids})
      order by g.ext_id collate "C" for no key update of g)
    update user_group g set name = n.name from named n where g.id = n.id and g.name <> n.name`.execute(
    tablesOf(em),
  );
}
