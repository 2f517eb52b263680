import { done, type Outcomes } from '../batch.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

export interface GroupInput {
  readonly organizationUserGroupId: string;
  /** Absent: the id for a new group, for another the name that it has. */
  readonly groupName?: string | undefined;
}

/** Adds groups of users; those that exist are renamed. Rows go in the order of their ids. */
export async function addGroups(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  groups: readonly GroupInput[],
): Promise<Outcomes> {
  await rows(
    em,
    `with sent as (select * from unnest($3::text[], $4::text[]) as t (ext_id, name)),
     added as (
       insert into user_group (api_key_id, org_id, ext_id, name)
       select $1, $2, ext_id, coalesce(name, ext_id) from sent order by ext_id collate "C"
       on conflict (org_id, ext_id) do nothing returning ext_id),
     named as (
       select g.id, s.name from user_group g join sent s on s.ext_id = g.ext_id
       where g.api_key_id = $1 and g.org_id = $2 and g.ext_id = any($3) and s.name is not null
       order by g.ext_id for no key update of g)
     update user_group g set name = n.name from named n where g.id = n.id and g.name <> n.name`,
    [
      tenant.id,
      organization.id,
      groups.map(({ organizationUserGroupId }) => organizationUserGroupId),
      groups.map(({ groupName }) => groupName ?? null),
    ],
  );
  return new Map(
    groups.map(({ organizationUserGroupId }) => [
      organizationUserGroupId,
      done('Organization user group added.'),
    ]),
  );
}
