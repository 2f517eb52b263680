import { visibleDocument } from '../documents/resolve-document.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { withinLimit, type BoundedRow, type PageLimit } from '../page-limit.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { rowsWithin, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { boundedUsers, mostExamined, searched, type UserFilter, type UserRow } from './user-row.ts';

/** A place among members of documents, ordered by document, then by user. `userId` undefined is behind all of the document's. */
export interface MemberOfDocumentPosition {
  readonly documentId: string;
  readonly userId: string | undefined;
}

export interface MemberOfDocument extends UserRow {
  readonly document_id: string;
}

export interface MembersOfDocumentsPage {
  readonly members: MemberOfDocument[];
  /** Behind which the next page starts; undefined at the end. */
  readonly next: MemberOfDocumentPosition | undefined;
  /** Bytes ended the page. */
  readonly cut: boolean;
}

/** Documents that one page looks at; most have a member. */
const mostDocuments = 2_000;

type ExaminedRow = MemberOfDocument &
  BoundedRow & {
    readonly matches: boolean;
    readonly last: boolean;
    /** The last document examined, when there may be more behind it. */
    readonly documents_end: string | null;
  };

/** Members of every document of an organization, in byte order of the documents' ids, then of the users'. */
export async function readUsersByDocument(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  {
    filter,
    after,
    limit,
  }: {
    readonly filter: UserFilter;
    readonly after: MemberOfDocumentPosition | undefined;
    readonly limit: PageLimit;
  },
): Promise<MembersOfDocumentsPage> {
  const { searchKey, userIds, groups } = filter;
  const residual = searchKey !== undefined || groups !== undefined;
  const found = await rowsWithin<ExaminedRow>(em, (sizing) => statement(filter, sizing), [
    tenant.id,
    organization.id,
    after?.documentId ?? '',
    after === undefined ? '' : (after.userId ?? null),
    mostDocuments,
    residual ? mostExamined : limit.rows + 1,
    limit.rows + 1,
    limit.bytes,
    limit.aloneBytes,
    ...[searchKey, userIds, groups].filter((given) => given !== undefined),
  ]);
  const { fitting, cut } = withinLimit(found);
  const matching = fitting.filter(({ matches }) => matches);
  const members = matching.slice(0, limit.rows);
  if (cut) return { members, next: positionOf(members.at(-1)) ?? after, cut };
  const position = matching.length > limit.rows ? members.at(-1) : found.find(({ last }) => last);
  if (position !== undefined) return { members, next: positionOf(position), cut };
  const end = found[0]?.documents_end ?? undefined;
  return { members, next: end === undefined ? undefined : { documentId: end, userId: undefined }, cut };
}

const positionOf = (row: MemberOfDocument | undefined): MemberOfDocumentPosition | undefined =>
  row && { documentId: row.document_id, userId: row.ext_id };

const bounded = (sizing: Sizing): string =>
  boundedUsers(
    sizing,
    { from: 'page', order: 's.document_id, s.ext_id', bytes: '$8::bigint', aloneBytes: '$9::bigint' },
    '2 * octet_length(document_id)',
  );

function statement({ searchKey, userIds, groups }: UserFilter, sizing: Sizing): string {
  let next = 10;
  const parameter = (given: unknown): string => (given === undefined ? '' : `$${String(next++)}`);
  const search = parameter(searchKey);
  const ids = parameter(userIds);
  const among = parameter(groups);
  return `
    with documents as (
      select d.id, d.ext_id, ${visibleDocument} as visible, row_number() over (order by d.ext_id) as place from document d
      where d.api_key_id = $1 and d.org_id = $2 and d.ext_id >= $3 order by d.ext_id limit $5),
    examined as (
      select e.*, row_number() over (order by e.document_id, e.user_ext) as place from (
        select d.ext_id as document_id, a.user_id, a.user_ext, a.is_member, a.member_role
        from documents d cross join lateral (
          select * from access where kind = ${String(resourceKindNumbers.document)} and resource_id = d.id and d.visible
            and user_ext > case when d.ext_id > $3 then '' else $4 end
            ${ids === '' ? '' : `and user_ext = any(${ids}::text[])`}
          order by user_ext limit $6) a
        order by d.ext_id, a.user_ext limit $6) e),
    judged as (
      select e.document_id, e.user_ext as ext_id, u.name, u.email, u.metadata, e.member_role, e.place = $6 as last,
        e.is_member ${search === '' ? '' : `and ${searched(search)}`}
        ${among === '' ? '' : `and exists (select from user_group_member m where m.group_id = any(${among}::bigint[]) and m.user_ext = e.user_ext)`}
          as matches
      from examined e join app_user u on u.id = e.user_id),
    page as (select * from judged where matches or last order by document_id, ext_id limit $7),
    ${bounded(sizing)}
    select document_id, p.ext_id, name, email, case when fits then metadata end as metadata, member_role, last, matches, fits,
      candidates, (select ext_id from documents where place = $5) as documents_end
    from (select) as always left join within p on true order by p.nth`;
}
