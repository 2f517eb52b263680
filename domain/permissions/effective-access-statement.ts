import { placedResources, typeInForce } from './placed-resources.ts';

/*
 * Who may reach what, decided in one statement whatever the number of users and resources. $1 to $8 as `placedResources`
 * says · $9 whether the path is wanted · $10 the moment that is asked about, null for now.
 */

/** A membership or a grant that counts at the moment asked about. `x` is a row of `access`. */
const inForce = '(x.is_member or x.grant_expires_at is null or x.grant_expires_at > m.moment)';

const granted = 'x.grant_role is not null and (x.grant_expires_at is null or x.grant_expires_at > m.moment)';

/**
 * By key and by id: whichever of the two indexes is entered, it leads to one row, however many people a place has. The
 * places of a chain are looked up one by one (`offset 0`), however many places a user has.
 */
const ofUser = 'x.user_id = u.id and x.user_ext = u.user_ext';

/** At one place the grant comes before the membership; a membership without a role is editor (2). */
const verdict = `
  (${granted}) as by_grant,
  case when ${granted} then x.grant_role else coalesce(x.member_role, 2) end as role,
  case when ${granted} then x.grant_expires_at end as until`;

const at = (kind: number, resource: string): string => `
  ${verdict} from access x where ${ofUser} and x.kind = ${String(kind)} and x.resource_id = ${resource} and ${inForce}`;

/** Upward from the resource, the organization last. */
const path = `
  (select json_agg(json_build_object('kind', p.kind, 'id', p.ext_id, 'type', p.access_type,
      'grant', x.grant_role is not null, 'granted', (${granted}), 'member', coalesce(x.is_member, false)) order by p.place desc)
   from (
     select 3 as kind, r.document as resource, r.ext_id, r.own_type as access_type, 1000 as place where r.document is not null
     union all
     select 2, f.id, f.ext_id, f.access_type, above.place from unnest(r.chain) with ordinality as above (id, place) join folder f on f.id = above.id
     union all
     select 1, r.organization, r.org_ext_id, null, 0 where r.organization is not null) p
   left join lateral (
     select x.* from access x where ${ofUser} and x.kind = p.kind and x.resource_id = p.resource offset 0) x on true)`;

/** Answers `AccessRow`, one for every user and resource, in the order of the question. */
export const effectiveAccess = `
  with m as materialized (select coalesce($10::timestamptz, statement_timestamp()) as moment),
  ${placedResources}
  select u.user_ext, r.place::int as place, r.kind, r.ext_id, r.org_ext_id, r.organization, r.resource,
    r.organization_disabled, r.document_disabled,
    case when n.role is not null then n.by_grant else o.by_grant end as by_grant, n.role is not null as near,
    coalesce(n.role, o.role) as role,
    floor(extract(epoch from case when n.role is not null then n.until else o.until end))::float8 as until,
    case when r.kind <> 1 then case when $8 then r.type when n.role is null then ${typeInForce} end end as type,
    case when $9 then ${path} end as path
  from named u cross join r cross join m
  left join lateral (
    select v.* from (
      (select 1 as distance, ${at(3, 'r.document')})
      union all
      (select 2, ${verdict} from unnest(r.chain) with ordinality as above (id, place)
       cross join lateral (
         select x.* from access x where ${ofUser} and x.kind = 2 and x.resource_id = above.id offset 0) x
       where ${inForce} order by above.place desc limit 1)) v order by v.distance limit 1) n on true
  left join lateral (select ${at(1, 'r.organization')} and n.role is null offset 0) o on true
  order by u.place, r.place`;
