/** SQL: the access type in force on `r`: its own, else of the nearest folder that has one, else the key's default. */
export const typeInForce = `
  coalesce(r.own_type, (
    select f.access_type from unnest(r.chain) with ordinality as above (id, place)
    cross join lateral (select f.access_type from folder f where f.id = above.id offset 0) f
    where f.access_type is not null order by above.place desc limit 1), case r.kind when 3 then $6::smallint else $7::smallint end)`;

/**
 * SQL: the common tables `named`, the users, and `r`, the resources, with what stands above each. $1 tenant · $2 users ·
 * $3 kinds, $4 organizations, $5 ids of the resources · $6 the key's default access type of documents, $7 of folders.
 * `chain` holds the folders from the top one down to the resource's own: the place farther right is nearer. A document
 * whose folder is deleted is not there. `offset 0` keeps each look-up apart, by its index.
 */
export const placedResources = `
  named as materialized (
    select n.user_ext, n.place, (select u.id from app_user u where u.api_key_id = $1 and u.ext_id = n.user_ext) as id
    from unnest($2::text[]) with ordinality as n (user_ext, place)),
  r as materialized (
    select a.place, a.kind, a.ext_id, a.org_ext_id, o.id as organization, o.disabled as organization_disabled,
      coalesce(d.disabled, false) as document_disabled,
      case a.kind when 2 then f.access_type when 3 then d.access_type end as own_type,
      case a.kind when 3 then d.folder_id else f.parent_id end as parent,
      coalesce(f.ancestors || f.id, '{}') as chain,
      case a.kind when 1 then o.id when 2 then f.id else case when f.deleted_at is null then d.id end end as resource
    from unnest($3::smallint[], $4::text[], $5::text[]) with ordinality as a (kind, org_ext_id, ext_id, place)
    left join lateral (
      select o.id, o.disabled from organization o where o.api_key_id = $1 and o.ext_id = a.org_ext_id
        and (a.kind <> 1 or a.ext_id = a.org_ext_id) offset 0) o on true
    left join lateral (
      select d.id, d.disabled, d.access_type, d.folder_id from document d
      where a.kind = 3 and d.org_id = o.id and d.ext_id = a.ext_id offset 0) d on true
    left join lateral (
      select f.id, f.ancestors, f.parent_id, f.access_type, f.deleted_at from folder f where a.kind = 3 and f.id = d.folder_id
      union all
      select f.id, f.ancestors, f.parent_id, f.access_type, f.deleted_at from folder f
      where a.kind = 2 and f.org_id = o.id and f.ext_id = a.ext_id offset 0) f on true)`;
