import { sql } from 'kysely';
import { accessTypeNumbers } from '../tenancy/access-types.ts';
import type { Switches } from '../tenancy/tenant.ts';
import { kinds, resourcesSent, type Resource } from './resource.ts';

/** The tenant settings that the statements read. */
export interface AccessTenant {
  readonly id: string;
  readonly switches: Pick<Switches, 'defaultDocumentAccessType' | 'defaultFolderAccessType'>;
}

/** SQL: the effective access type of `r`: its own, else that of the nearest folder with one, else the API key's default. */
export const effectiveAccessType = ({ switches }: AccessTenant) => sql`
  coalesce(r.own_type, (
    select f.access_type from unnest(r.chain) with ordinality as above (id, ordinal)
    cross join lateral (select f.access_type from folder f where f.id = above.id offset 0) f
    where f.access_type is not null order by above.ordinal desc limit 1),
    case r.kind when ${kinds.document} then ${accessTypeNumbers[switches.defaultDocumentAccessType]}::smallint
      else ${accessTypeNumbers[switches.defaultFolderAccessType]}::smallint end)`;

/**
 * SQL: the common tables `named`, the users, and `r`, the resources. `chain` holds the folders from the root down to the
 * resource's own. A document in a deleted folder does not exist. `offset 0` keeps one index lookup per resource.
 */
export const resourcesWithAncestors = (
  tenant: AccessTenant,
  { userIds, resources }: { readonly userIds: readonly string[]; readonly resources: readonly Resource[] },
) => sql`
  named as materialized (
    select n.user_ext, n.ordinal, (select u.id from app_user u where u.api_key_id = ${tenant.id} and u.ext_id = n.user_ext) as id
    from unnest(${userIds}::text[]) with ordinality as n (user_ext, ordinal)),
  r as materialized (
    select a.ordinal, a.kind, a.ext_id, a.org_ext_id, o.id as organization, o.disabled as organization_disabled,
      coalesce(d.disabled, false) as document_disabled,
      case a.kind when ${kinds.folder} then f.access_type when ${kinds.document} then d.access_type end as own_type,
      case a.kind when ${kinds.document} then d.folder_id else f.parent_id end as parent,
      coalesce(f.ancestors || f.id, '{}') as chain,
      case a.kind when ${kinds.organization} then o.id when ${kinds.folder} then f.id
        else case when f.deleted_at is null then d.id end end as resource
    from ${resourcesSent(resources)}
    left join lateral (
      select o.id, o.disabled from organization o where o.api_key_id = ${tenant.id} and o.ext_id = a.org_ext_id
        and (a.kind <> ${kinds.organization} or a.ext_id = a.org_ext_id) offset 0) o on true
    left join lateral (
      select d.id, d.disabled, d.access_type, d.folder_id from document d
      where a.kind = ${kinds.document} and d.org_id = o.id and d.ext_id = a.ext_id offset 0) d on true
    left join lateral (
      select f.id, f.ancestors, f.parent_id, f.access_type, f.deleted_at from folder f
      where a.kind = ${kinds.document} and f.id = d.folder_id
      union all
      select f.id, f.ancestors, f.parent_id, f.access_type, f.deleted_at from folder f
      where a.kind = ${kinds.folder} and f.org_id = o.id and f.ext_id = a.ext_id offset 0) f on true)`;
