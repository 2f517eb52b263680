import { visibleDocument } from '../documents/resolve-document.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { withinLimit, type BoundedRow, type PageLimit } from '../page-limit.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { rowsWithin, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { boundedUsers, mostExamined, searched, type UserFilter, type UserRow } from './user-row.ts';

/** A place among memberships in documents, ordered by user, then by document. `resource` undefined is behind all of the user's. */
export interface DocumentUserPosition {
  readonly userId: string;
  readonly resource: string | undefined;
}

export interface DocumentUserRow extends UserRow {
  /** Ids of the documents that the user belongs to, in byte order, when they were asked for. */
  readonly documents: readonly string[] | null;
}

export interface DocumentUserPage {
  readonly users: DocumentUserRow[];
  /** Behind which the next page starts; undefined at the end. */
  readonly next: DocumentUserPosition | undefined;
  /** Bytes ended the page. */
  readonly cut: boolean;
}

interface Query {
  readonly filter: UserFilter;
  readonly withDocuments: boolean;
  readonly after: DocumentUserPosition | undefined;
  readonly limit: PageLimit;
}

interface GroupRow extends DocumentUserRow, BoundedRow {
  readonly matches: boolean;
  /** Where the examined rows end, when they end within this user. */
  readonly boundary: string | null;
}

const behindAll = '9223372036854775807';

/** Users that belong to at least one document of the organization, once each, in byte order of their ids. */
export async function readDocumentUsers(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  { filter, withDocuments, after, limit }: Query,
): Promise<DocumentUserPage> {
  const found = await rowsWithin<GroupRow>(em, (sizing) => statement(filter, withDocuments, sizing), [
    tenant.id,
    organization.id,
    after?.userId ?? '',
    after === undefined ? '0' : (after.resource ?? behindAll),
    mostExamined,
    limit.rows + 1,
    limit.bytes,
    limit.aloneBytes,
    ...[filter.searchKey, filter.userIds, filter.groups].filter((given) => given !== undefined),
  ]);
  const { fitting, cut } = withinLimit(found);
  if (cut) return cutPage(fitting, after);
  return withDocuments ? wholeUsers(found, limit.rows) : page(found, limit.rows);
}

/** All that fits are users, but for one whose examined documents end the walk: it comes last, and so never here. */
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
  // One that was answered is not looked at again; one that was not may still belong to a document further on.
  const resource = last.matches ? undefined : (last.boundary ?? undefined);
  return { users, next: { userId: last.ext_id, resource }, cut: false };
}

/** Documents of a user are not cut between two pages: the user goes to the next one, unless they fill a page alone. */
function wholeUsers(found: readonly GroupRow[], limit: number): DocumentUserPage {
  const last = found.at(-1);
  const previous = found.at(-2);
  const cut = found.length <= limit && last?.boundary !== null && last?.matches === true;
  if (!cut || previous === undefined) return page(found, limit);
  return {
    users: found.slice(0, -1).filter(({ matches }) => matches),
    next: { userId: previous.ext_id, resource: undefined },
    cut: false,
  };
}

const bounded = (sizing: Sizing): string =>
  boundedUsers(
    sizing,
    { from: 'page', order: 's.ext_id', bytes: '$7::bigint', aloneBytes: '$8::bigint' },
    `coalesce(octet_length(array_to_string(documents, '","')), 0)`,
  );

function statement(
  { searchKey, userIds, groups }: UserFilter,
  withDocuments: boolean,
  sizing: Sizing,
): string {
  let next = 9;
  const parameter = (given: unknown): string => (given === undefined ? '' : `$${String(next++)}`);
  const search = parameter(searchKey);
  const ids = parameter(userIds);
  const among = parameter(groups);
  const document = String(resourceKindNumbers.document);
  return `
    with examined as (
      select a.user_id, a.user_ext, a.resource_id, a.is_member,
        row_number() over (order by a.user_ext, a.resource_id) as place
      from access a
      where a.api_key_id = $1 and a.org_id = $2 and a.kind = ${document} and (a.user_ext, a.resource_id) > ($3, $4::bigint)
        ${ids === '' ? '' : `and a.user_ext = any(${ids}::text[])`}
      order by a.user_ext, a.resource_id limit $5),
    judged as (
      select e.user_id, e.user_ext, e.resource_id, d.ext_id as document_id, e.place = $5 as last,
        e.is_member and d.id is not null
        ${search === '' ? '' : `and exists (select from app_user u where u.id = e.user_id and ${searched(search)})`}
        ${among === '' ? '' : `and exists (select from user_group_member m where m.group_id = any(${among}::bigint[]) and m.user_ext = e.user_ext)`}
          as matches
      from examined e
      left join document d on d.id = e.resource_id and d.deleted_at is null and ${visibleDocument}),
    found as (
      select user_ext, user_id, bool_or(matches) as matches, max(resource_id) filter (where last) as boundary,
        ${withDocuments ? 'array_agg(document_id order by document_id) filter (where matches)' : 'null::text[]'} as documents
      from judged group by user_ext, user_id having bool_or(matches) or bool_or(last) order by user_ext limit $6),
    page as (
      select f.user_ext as ext_id, u.name, u.email, u.metadata, f.matches, f.boundary, f.documents
      from found f join app_user u on u.id = f.user_id),
    ${bounded(sizing)}
    select ext_id, name, email, case when fits then metadata end as metadata, matches, boundary,
      case when fits then documents end as documents, fits, candidates
    from within order by nth`;
}
