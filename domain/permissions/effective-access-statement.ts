import { sql, type RawBuilder } from 'kysely';
import {
  resourcesWithAncestors,
  effectiveAccessType,
  type AccessTenant,
} from './resources-with-ancestors.ts';
import { kinds, type Resource } from './resource.ts';

/** Users and resources whose access is queried. */
export interface AccessQuery {
  readonly userIds: readonly string[];
  readonly resources: readonly Resource[];
  /** Decides each user only for the resource at the same index, instead of every user for every resource. */
  readonly paired?: boolean;
  /** Returns the effective access type even when a grant or membership decides. */
  readonly types?: boolean;
  /** Returns the path from the resource to its organization. */
  readonly explain?: boolean;
  /** Evaluates access at this moment instead of now. */
  readonly moment?: Date;
}

type Sql = RawBuilder<unknown>;

/* Decides access in one statement for any number of users and resources. */

/** The grant of `x`, a row of `access`, is absent or unexpired at the moment. */
const unexpiredAt = (moment: Date | undefined): Sql =>
  sql`(x.grant_expires_at is null or x.grant_expires_at > coalesce(${moment ?? null}::timestamptz, statement_timestamp()))`;

/** An unexpired grant. */
const granted = (unexpired: Sql): Sql => sql`(x.grant_role is not null and ${unexpired})`;

/**
 * The user's grant and membership on one resource. Both user columns are compared so that either index finds one row;
 * `offset 0` keeps one lookup per resource.
 */
const held = (kind: Sql, resource: Sql): Sql => sql`
  lateral (select x.* from access x where x.user_id = u.id and x.user_ext = u.user_ext
    and x.kind = ${kind} and x.resource_id = ${resource} offset 0) x`;

/** The organization, then the folders from the top, then the document. */
const levels = sql`
  unnest(case r.kind when ${kinds.document} then r.organization || r.chain || r.resource else r.organization || r.chain end)
    with ordinality as p (id, ordinal)`;
const organizationPosition = sql.lit(1);
const kindOfLevel = sql`
  (case when p.ordinal = ${organizationPosition} then ${kinds.organization}
    when r.kind = ${kinds.document} and p.ordinal = cardinality(r.chain) + 2 then ${kinds.document} else ${kinds.folder} end)::smallint`;

/** On one resource a grant precedes a membership. A membership without a role counts as editor (2). */
const nearest = (unexpired: Sql): Sql => sql`
  select p.ordinal, ${granted(unexpired)} as by_grant,
    case when ${granted(unexpired)} then x.grant_role else coalesce(x.member_role, 2) end as role,
    case when ${granted(unexpired)} then x.grant_expires_at end as until
  from ${levels} cross join ${held(kindOfLevel, sql.ref('p.id'))}
  where (x.is_member or ${unexpired}) order by p.ordinal desc limit 1`;

const near = sql`coalesce(n.ordinal > ${organizationPosition}, false)`;

/** From the resource up to the organization. */
const path = (unexpired: Sql): Sql => sql`
  (select json_agg(json_build_object('kind', p.kind, 'id', p.ext_id, 'type', p.access_type,
      'grant', x.grant_role is not null, 'granted', coalesce(${granted(unexpired)}, false),
      'member', coalesce(x.is_member, false)) order by p.ordinal desc)
   from (
     select ${kinds.document} as kind, r.resource, r.ext_id, r.own_type as access_type, 1000 as ordinal
     where r.kind = ${kinds.document} and r.resource is not null
     union all
     select ${kinds.folder}, f.id, f.ext_id, f.access_type, above.ordinal
     from unnest(r.chain) with ordinality as above (id, ordinal) join folder f on f.id = above.id
     where r.resource is not null
     union all
     select ${kinds.organization}, r.organization, r.org_ext_id, null, 0 where r.organization is not null) p
   left join ${held(sql.ref('p.kind'), sql.ref('p.resource'))} on true)`;

/**
 * Selects one `FoundAccess` for every user and resource, or every pair, in the order of the query; `path` only with
 * `explain`.
 */
export function effectiveAccess(tenant: AccessTenant, query: AccessQuery): Sql {
  const { paired = false, types = false, explain = false, moment } = query;
  const unexpired = unexpiredAt(moment);
  return sql`
  with ${resourcesWithAncestors(tenant, query)}
  select u.ordinal::int as user_ordinal, r.ordinal::int as ordinal, r.kind, r.organization, r.resource,
    r.organization_disabled, r.document_disabled, n.by_grant, ${near} as near, n.role,
    floor(extract(epoch from n.until))::float8 as until,
    case when r.kind <> ${kinds.organization} and (${types} or not ${near}) then ${effectiveAccessType(tenant)} end as type,
    ${explain ? path(unexpired) : sql`null::json`} as path
  from named u ${paired ? sql`join r on r.ordinal = u.ordinal` : sql`cross join r`}
  left join lateral (${nearest(unexpired)}) n on true
  order by u.ordinal, r.ordinal`;
}
