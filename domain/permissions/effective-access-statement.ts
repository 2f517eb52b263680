import { placedResources, typeInForce } from './placed-resources.ts';

/*
 * Who may reach what, decided in one statement whatever the number of users and resources. $1 to $7 as `placedResources`
 * says · $8 whether the access type is wanted also where something nearer decides · $9 the moment that is asked about,
 * null for now.
 */

const moment = 'coalesce($9::timestamptz, statement_timestamp())';
const unexpired = `(x.grant_expires_at is null or x.grant_expires_at > ${moment})`;

/** `x` is a row of `access`: a membership or a grant that counts at the moment asked about. */
const inForce = `(x.is_member or ${unexpired})`;
const granted = `(x.grant_role is not null and ${unexpired})`;

/**
 * What the user holds at a place. By key and by id: whichever of the two indexes is entered, it leads to one row, however
 * many people a place has; and one by one (`offset 0`), however many places a user has.
 */
const held = (kind: string, resource: string): string => `
  lateral (select x.* from access x where x.user_id = u.id and x.user_ext = u.user_ext
    and x.kind = ${kind} and x.resource_id = ${resource} offset 0) x`;

/** The organization first, then the folders downward, then the document. */
const places = `
  unnest(case r.kind when 3 then r.organization || r.chain || r.resource else r.organization || r.chain end)
    with ordinality as p (id, place)`;
const organizationPlace = '1';
const kindOfPlace = `
  (case when p.place = ${organizationPlace} then 1 when r.kind = 3 and p.place = cardinality(r.chain) + 2 then 3 else 2 end)::smallint`;

/** At one place the grant comes before the membership; a membership without a role is editor (2). */
const nearest = `
  select p.place, ${granted} as by_grant, case when ${granted} then x.grant_role else coalesce(x.member_role, 2) end as role,
    case when ${granted} then x.grant_expires_at end as until
  from ${places} cross join ${held(kindOfPlace, 'p.id')}
  where ${inForce} order by p.place desc limit 1`;

const near = `coalesce(n.place > ${organizationPlace}, false)`;

/** Upward from the resource, the organization last. */
const path = `
  (select json_agg(json_build_object('kind', p.kind, 'id', p.ext_id, 'type', p.access_type,
      'grant', x.grant_role is not null, 'granted', coalesce(${granted}, false), 'member', coalesce(x.is_member, false)) order by p.place desc)
   from (
     select 3 as kind, r.resource, r.ext_id, r.own_type as access_type, 1000 as place where r.kind = 3 and r.resource is not null
     union all
     select 2, f.id, f.ext_id, f.access_type, above.place from unnest(r.chain) with ordinality as above (id, place) join folder f on f.id = above.id
     union all
     select 1, r.organization, r.org_ext_id, null, 0 where r.organization is not null) p
   left join ${held('p.kind', 'p.resource')} on true)`;

/** Answers `AccessRow`, one for every user and resource, in the order of the question; `path` only where it is wanted. */
export const effectiveAccess = ({ explain }: { readonly explain: boolean }): string => `
  with ${placedResources}
  select u.user_ext, r.place::int as place, r.kind, r.ext_id, r.org_ext_id, r.organization, r.resource,
    r.organization_disabled, r.document_disabled, n.by_grant, ${near} as near, n.role,
    floor(extract(epoch from n.until))::float8 as until,
    case when r.kind <> 1 and ($8 or not ${near}) then ${typeInForce} end as type,
    ${explain ? path : 'null::json'} as path
  from named u cross join r
  left join lateral (${nearest}) n on true
  order by u.place, r.place`;
