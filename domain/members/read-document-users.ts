import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { rowsWithin, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { maxBigint } from '../bigint-range.ts';
import { isVisible } from '../documents/resolve-document.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { BoundedRow, maxExamined, withinLimit, type PageLimit } from '../page-limit.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { boundedUsers, inGroups, searched, UserRow, where, type UserFilter } from './user-row.ts';

/**
 * Cursor over memberships in documents, ordered by user, then document. `resource` undefined: after all documents of the
 * user.
 */
export interface DocumentUserPosition {
  readonly userId: string;
  readonly resource: string | undefined;
}

const DocumentUserRow = UserRow.extend({
  /** Ids of the user's documents in byte order; null unless requested. */
  documents: z.array(z.string()).readonly().nullable(),
});
export type DocumentUserRow = z.infer<typeof DocumentUserRow>;

export interface DocumentUserPage {
  readonly users: DocumentUserRow[];
  /** Cursor of the next page; undefined at the end. */
  readonly next: DocumentUserPosition | undefined;
  /** The byte limit ended the page. */
  readonly cut: boolean;
}

interface Query {
  readonly filter: UserFilter;
  readonly withDocuments: boolean;
  readonly after: DocumentUserPosition | undefined;
  readonly limit: PageLimit;
}

const GroupRow = DocumentUserRow.extend(BoundedRow.shape).extend({
  matches: z.boolean(),
  /** Cursor of the last examined row if it belongs to this user. */
  boundary: z.string().nullable(),
  /** Position of the user's first examined row, from 1. */
  starts: z.number(),
});
type GroupRow = z.infer<typeof GroupRow>;

/** Cursors before and after all documents of a user. */
const beforeAll = '0';
const afterAll = maxBigint;

/** Returns users that belong to at least one document of the organization, once each, in byte order of ids. */
export async function readDocumentUsers(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  query: Query,
): Promise<DocumentUserPage> {
  const { withDocuments, after, limit } = query;
  const found = await rowsWithin(em, GroupRow, (sizing) => statement(tenant, organization, query, sizing));
  const { fitting, cut } = withinLimit(found);
  if (cut) return cutPage(fitting, after);
  return withDocuments ? wholeUsers(found, limit.rows) : page(found, limit.rows);
}

/** The row that holds the cursor of the last examined document comes last, so it is never among those that fit. */
function cutPage(fitting: readonly GroupRow[], after: DocumentUserPosition | undefined): DocumentUserPage {
  const last = fitting.at(-1);
  const next = last === undefined ? after : { userId: last.ext_id, resource: undefined };
  return { users: fitting.filter(({ matches }) => matches), next, cut: true };
}

function page(found: readonly GroupRow[], limit: number): DocumentUserPage {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const users = shown.filter(({ matches }) => matches);
  if (last === undefined || (found.length <= limit && last.boundary === null))
    return { users, next: undefined, cut: false };
  // A returned user is complete; one that did not match may still belong to a later document.
  const resource = last.matches ? undefined : (last.boundary ?? undefined);
  return { users, next: { userId: last.ext_id, resource }, cut: false };
}

/**
 * Moves a user whose documents would be split between two pages to the next page, unless they fill a page alone. Rows before
 * theirs may belong to users who are not in `found`, such as those with grants only.
 */
function wholeUsers(found: readonly GroupRow[], limit: number): DocumentUserPage {
  const last = found.at(-1);
  const isSplit = found.length <= limit && last !== undefined && last.boundary !== null && last.matches;
  if (!isSplit || last.starts === 1) return page(found, limit);
  return {
    users: found.slice(0, -1).filter(({ matches }) => matches),
    next: { userId: last.ext_id, resource: beforeAll },
    cut: false,
  };
}

function statement(
  tenant: Tenant,
  organization: ResolvedOrganization,
  { filter: { searchKey, userIds, groups }, withDocuments, after, limit }: Query,
  sizing: Sizing,
) {
  return sql`
    with examined as (
      select e.*, row_number() over (order by e.user_ext, e.resource_id) as position
      from (${nextMemberships(tenant, organization, userIds, after)} limit ${maxExamined}) e),
    judged as (
      select e.user_id, e.user_ext, e.resource_id, d.ext_id as document_id, e.position,
        e.position = ${maxExamined} as last,
        e.is_member and d.id is not null
        ${where(searchKey, (text) => sql`exists (select from app_user u where u.id = e.user_id and ${searched(text)})`)}
        ${where(groups, inGroups)} as matches
      from examined e
      left join document d on d.id = e.resource_id and d.deleted_at is null and ${isVisible}),
    found as (
      select user_ext, user_id, bool_or(matches) as matches, max(resource_id) filter (where last) as boundary,
        min(position)::integer as starts,
        ${withDocuments ? sql`array_agg(document_id order by document_id) filter (where matches)` : sql`null::text[]`} as documents
      from judged group by user_ext, user_id having bool_or(matches) or bool_or(last) order by user_ext limit ${limit.rows + 1}),
    page as (
      select f.user_ext as ext_id, u.name, u.email, u.metadata, f.matches, f.boundary, f.starts, f.documents
      from found f join app_user u on u.id = f.user_id),
    ${boundedUsers(
      sizing,
      { from: 'page', order: sql`s.ext_id`, limit },
      sql`coalesce(octet_length(array_to_string(documents, '","')), 0)`,
    )}
    select ext_id, name, email, case when fits then metadata end as metadata, matches, boundary, starts,
      case when fits then documents end as documents, fits, candidates
    from within order by nth`;
}

/** SQL: memberships after a cursor, ordered by user, then document. */
function nextMemberships(
  tenant: Tenant,
  organization: ResolvedOrganization,
  userIds: readonly string[] | undefined,
  after: DocumentUserPosition | undefined,
): RawBuilder<unknown> {
  const user = after?.userId ?? '';
  const resource = after === undefined ? beforeAll : (after.resource ?? afterAll);
  const inOrganization = sql`api_key_id = ${tenant.id} and org_id = ${organization.id}
    and kind = ${sql.lit(resourceKindNumbers.document)}`;
  const columns = sql`a.user_id, a.user_ext, a.resource_id, a.is_member`;
  if (userIds === undefined)
    return sql`select ${columns} from access a
      where ${inOrganization} and (user_ext, resource_id) > (${user}, ${resource}::bigint)
      order by user_ext, resource_id`;
  // One user after another, each in the order of documents, so that the outer limit ends the reads: before PostgreSQL 17,
  // `user_ext = any(…)` reads all documents of all these users. The nested loop keeps both orders. An outer order by
  // document, too, could sort all rows first.
  return sql`select ${columns} from (
      select user_ext collate "C" as user_ext from unnest(${userIds}::text[]) as n (user_ext)
      where user_ext collate "C" >= ${user} order by 1) n cross join lateral (
      select * from access where ${inOrganization} and user_ext = n.user_ext
        and resource_id > case when n.user_ext = ${user} then ${resource}::bigint else ${sql.lit(beforeAll)}::bigint end
      order by resource_id limit ${maxExamined}) a
    order by n.user_ext`;
}
