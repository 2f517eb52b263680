import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { findsListsInOrder, inIndexOrder, readByIndex } from '../../platform/database/planner.ts';
import { rowsWithin, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { isVisible } from '../documents/resolve-document.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { BoundedRow, maxExamined, withinLimit, type PageLimit } from '../page-limit.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { boundedUsers, inGroups, searched, UserRow, where, type UserFilter } from './user-row.ts';

/** Cursor over members of documents, ordered by document, then user. `userId` undefined: after all members of the document. */
export interface MemberOfDocumentPosition {
  readonly documentId: string;
  readonly userId: string | undefined;
}

const MemberOfDocument = UserRow.extend({ document_id: z.string() });
export type MemberOfDocument = z.infer<typeof MemberOfDocument>;

export interface MembersOfDocumentsPage {
  readonly members: MemberOfDocument[];
  /** Cursor of the next page; undefined at the end. */
  readonly next: MemberOfDocumentPosition | undefined;
  /** The byte limit ended the page. */
  readonly cut: boolean;
}

/** Max documents that one page examines, and max lookups of single users in them. */
const max = { documents: 2_000, lookups: 200_000 } as const;

/** The last document examined, if the page is not full and more may follow. */
const end = { documents_end: z.string().nullable() };

const ExaminedRow = MemberOfDocument.extend(BoundedRow.shape).extend({
  ...end,
  matches: z.boolean(),
  last: z.boolean(),
});
/** Row of a page without members: every other column is null. */
const EmptyRow = z.object({ ...end, fits: z.null() });
type FoundRow = z.infer<typeof ExaminedRow> | z.infer<typeof EmptyRow>;

const isMember = (row: FoundRow): row is z.infer<typeof ExaminedRow> => row.fits !== null;

interface Query {
  readonly filter: UserFilter;
  readonly after: MemberOfDocumentPosition | undefined;
  readonly limit: PageLimit;
}

/** Returns members of every document of an organization, in byte order of document ids, then user ids. */
export async function readUsersByDocument(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  query: Query,
): Promise<MembersOfDocumentsPage> {
  const { after, limit } = query;
  const read = await readByIndex(
    em,
    async (reading) =>
      rowsWithin(reading, z.union([ExaminedRow, EmptyRow]), (sizing) =>
        statement(tenant, organization, query, sizing),
      ),
    inIndexOrder,
  );
  const found = read.filter(isMember);
  const { fitting, cut } = withinLimit(found);
  const matching = fitting.filter(({ matches }) => matches);
  const members = matching.slice(0, limit.rows);
  if (cut) return { members, next: positionOf(members.at(-1)) ?? after, cut };
  const position = matching.length > limit.rows ? members.at(-1) : found.find(({ last }) => last);
  if (position !== undefined) return { members, next: positionOf(position), cut };
  const documentId = read[0]?.documents_end ?? undefined;
  return { members, next: documentId === undefined ? undefined : { documentId, userId: undefined }, cut };
}

const positionOf = (row: MemberOfDocument | undefined): MemberOfDocumentPosition | undefined =>
  row && { documentId: row.document_id, userId: row.ext_id };

function statement(
  tenant: Tenant,
  organization: ResolvedOrganization,
  { filter: { searchKey, userIds, groups }, after, limit }: Query,
  sizing: Sizing,
) {
  const from = after?.documentId ?? '';
  const afterUser = after === undefined ? '' : (after.userId ?? null);
  const residual = searchKey !== undefined || groups !== undefined;
  const examined = residual ? maxExamined : limit.rows + 1;
  const maxDocuments = documentsExamined(userIds);
  // Not a CTE: one that is read twice loses its order before PostgreSQL 17, so that all members would be read and sorted.
  const documents = sql`from document d
    where d.api_key_id = ${tenant.id} and d.org_id = ${organization.id} and d.ext_id >= ${from} order by d.ext_id`;
  const inDocument = sql`select * from access where kind = ${sql.lit(resourceKindNumbers.document)}
    and resource_id = d.id and d.visible and user_ext > case when d.ext_id > ${from} then '' else ${afterUser} end`;
  return sql`
    with examined as (
      select e.*, row_number() over (order by e.document_id, e.user_ext) as position from (
        select d.ext_id as document_id, a.user_id, a.user_ext, a.is_member, a.member_role
        from (select d.id, d.ext_id, ${isVisible} as visible ${documents} limit ${maxDocuments}) d cross join lateral (
          ${membersOf(userIds, inDocument, examined)}) a
        order by d.ext_id, a.user_ext limit ${examined}) e),
    judged as (
      select e.document_id, e.user_ext as ext_id, u.name, u.email, u.metadata, e.member_role, e.position = ${examined} as last,
        e.is_member ${where(searchKey, searched)} ${where(groups, inGroups)} as matches
      from examined e join app_user u on u.id = e.user_id),
    page as (select * from judged where matches or last order by document_id, ext_id limit ${limit.rows + 1}),
    ${boundedUsers(
      sizing,
      { from: 'page', order: sql`s.document_id, s.ext_id`, limit },
      sql`2 * octet_length(document_id)`,
    )}
    select document_id, p.ext_id, name, email, case when fits then metadata end as metadata, member_role, last, matches, fits,
      candidates,
      case when coalesce(candidates, 0) <= ${limit.rows} then (select d.ext_id ${documents} offset ${maxDocuments} - 1 limit 1) end
        as documents_end
    from (select) as always left join within p on true order by p.nth`;
}

/** SQL: the number of documents that a page examines. */
function documentsExamined(userIds: readonly string[] | undefined): RawBuilder<unknown> {
  if (userIds === undefined) return sql`${max.documents}::integer`;
  const lookingUp = Math.min(max.documents, Math.floor(max.lookups / userIds.length));
  return sql`case when ${findsListsInOrder} then ${sql.lit(max.documents)} else ${lookingUp}::integer end`;
}

/**
 * SQL: the first `members`, or those with the requested ids, ordered by user. Where a list would read every member, each
 * requested user is looked up by the whole key.
 */
function membersOf(
  userIds: readonly string[] | undefined,
  members: RawBuilder<unknown>,
  limit: number,
): RawBuilder<unknown> {
  if (userIds === undefined) return sql`${members} order by user_ext limit ${limit}`;
  const ids = sql`${userIds}::text[]`;
  return sql`(${members} and ${findsListsInOrder} and user_ext = any(${ids}) order by user_ext limit ${limit})
    union all (
      select m.* from (
        select user_ext collate "C" as user_ext from unnest(${ids}) as r (user_ext) where not ${findsListsInOrder}
        order by 1) n
      cross join lateral (${members} and user_ext = n.user_ext offset 0) m
      order by n.user_ext limit ${limit})`;
}
