import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { rowsWithin, type Sizing } from '../../platform/database/within-bytes.ts';
import { required } from '../../platform/process/required.ts';
import { isVisible } from '../documents/resolve-document.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { isResidual } from './annotation-filter.ts';
import {
  pageOf,
  RankedRow,
  threadsOf,
  type Paging,
  type ThreadPosition,
  type ThreadRow,
} from './thread-page.ts';
import { boundsOf, type ThreadQuery } from './thread-range.ts';

/** A position in the order of the documents' ids, then as `ThreadPosition`. */
export interface GroupPosition {
  readonly documentId: string;
  /** Undefined: the document has no further threads. */
  readonly after: ThreadPosition | undefined;
}

/** Threads to read document by document. */
export interface GroupedQuery extends Pick<
  ThreadQuery,
  'filter' | 'order' | 'updatedAfter' | 'updatedBefore'
> {
  /** Surrogate keys; undefined for all documents of the organization. */
  readonly documents: readonly string[] | undefined;
  /** The condition by which the documents were found. */
  readonly covers: 'folder' | undefined;
}

interface GroupPaging extends Pick<Paging, 'limit' | 'contents' | 'examined'> {
  readonly after: GroupPosition | undefined;
}

/** A page of threads, document by document. */
export interface GroupedPage {
  readonly threads: readonly ThreadRow[];
  /** The next page starts after it; undefined at the end. */
  readonly next: GroupPosition | undefined;
  /** As in `ThreadPage`. */
  readonly cut: boolean;
  /** Number of threads examined up to `next`. */
  readonly examined: number;
}

/**
 * Reads threads by their documents' ids, then by their last update and order of writing. One page examines at most 5,000
 * documents and 1,000 of them with threads, so it may be short or empty before the end.
 */
export async function readGroupedThreads(
  em: EntityManager,
  organization: ResolvedOrganization,
  query: GroupedQuery,
  paging: GroupPaging,
): Promise<GroupedPage> {
  const { after } = paging;
  const documents = await documentsFrom(em, organization, query.documents, after);
  if (documents.length === 0) return { threads: [], next: undefined, cut: false, examined: 0 };
  const found = await rowsWithin(em, RankedRow, (sizing) =>
    statement(organization, query, paging, documents, sizing),
  );
  const { threads, cut, end } = pageOf(found, paging);
  if (end !== undefined) {
    const position = { updatedAt: end.updated_at, id: end.id };
    // A document that was deleted after it was listed has lost its id.
    const listed = documents.find(({ id }) => id === end.document_id)?.ext_id;
    const documentId = end.document_ext_id ?? required(listed, 'document of an examined thread');
    const next = { documentId, after: position };
    return { threads, next, cut, examined: Number(end.rank) };
  }
  if (cut) return { threads, next: after, cut, examined: 0 };
  const last = documents.at(-1);
  const more = last !== undefined && (last.ends || documents.length === maxDocuments.found);
  return {
    threads,
    next: more ? { documentId: last.ext_id, after: undefined } : undefined,
    cut,
    examined: 0,
  };
}

/** Max documents that a page examines, and max documents with threads among them. */
const maxDocuments = { examined: 5_000, found: 1_000 } as const;

const DocumentRow = z.strictObject({ id: z.string(), ext_id: z.string(), ends: z.boolean() });
type DocumentRow = z.infer<typeof DocumentRow>;

/** Lists the next visible documents with threads, and the last one examined, which `ends` the list, if more may follow. */
async function documentsFrom(
  em: EntityManager,
  { id: organization }: ResolvedOrganization,
  documents: readonly string[] | undefined,
  position: GroupPosition | undefined,
): Promise<readonly DocumentRow[]> {
  const source =
    documents === undefined
      ? sql`document d`
      : sql`unnest(${documents}::bigint[]) as k (id)
          cross join lateral (select * from document where id = k.id offset 0) d`;
  const from = sql.raw(position?.after === undefined ? '>' : '>=');
  return rowsOf(
    em,
    DocumentRow,
    sql`select e.id, e.ext_id, e.nth = ${sql.lit(maxDocuments.examined)} as ends from (
        select d.id, d.ext_id, ${isVisible} as is_visible, row_number() over (order by d.ext_id) as nth from ${source}
        where d.org_id = ${organization} and d.ext_id ${from} ${position?.documentId ?? ''}
        order by d.ext_id limit ${sql.lit(maxDocuments.examined)}) e
      where e.is_visible and exists (select from thread t where t.document_id = e.id offset 0)
        or e.nth = ${sql.lit(maxDocuments.examined)}
      order by e.ext_id limit ${sql.lit(maxDocuments.found)}`,
  );
}

/**
 * SQL: reads the next threads of one document after the other by index, until enough are found. So the number of threads
 * examined does not depend on the number of documents.
 */
function statement(
  { id: organization }: ResolvedOrganization,
  query: GroupedQuery,
  { after, limit, examined: max }: GroupPaging,
  documents: readonly DocumentRow[],
  sizing: Sizing,
): RawBuilder<unknown> {
  const { filter, order, covers } = query;
  const examined = isResidual(filter, covers) ? max : limit.rows + 1;
  const starts = documents[0]?.ext_id === after?.documentId ? after?.after : undefined;
  const [first, others] = [boundsOf(query, starts), boundsOf(query, undefined)];
  const bound = (side: 'low' | 'high') => sql`(
    case s.nth when 0 then ${first[side].updatedAt}::bigint else ${others[side].updatedAt}::bigint end,
    case s.nth when 0 then ${first[side].id}::bigint else ${others[side].id}::bigint end)`;
  const ordered = sql.raw(`t.updated_at ${order}, t.id ${order}`);
  return sql`
    with recursive steps (nth, ids, times, found) as (
      select 0, '{}'::bigint[], '{}'::bigint[], 0
      union all
      select s.nth + 1, x.ids, x.times, s.found + cardinality(x.ids) from steps s cross join lateral (
        select coalesce(array_agg(t.id), '{}') as ids, coalesce(array_agg(t.updated_at), '{}') as times from (
          select t.id, t.updated_at from thread t
          where t.document_id = (${documents.map(({ id }) => id)}::bigint[])[s.nth + 1]
            and (t.updated_at, t.id) > ${bound('low')} and (t.updated_at, t.id) < ${bound('high')}
          order by ${ordered} limit ${examined}::integer - s.found) t) x
      where s.nth < ${documents.length}::integer and s.found < ${examined}::integer),
    examined as materialized (
      select s.nth, t.id, t.updated_at from steps s cross join lateral unnest(s.ids, s.times) as t (id, updated_at)),
    considered as materialized (
      select t.id, t.updated_at, row_number() over (order by t.nth, ${ordered}) as rank,
        row_number() over (order by t.nth, ${ordered}) = ${examined}::integer as last
      from examined t order by rank),
    ${threadsOf({ organization, filter, ordered: () => sql`rank`, beside: sql`, rank` }, limit, sizing)}`;
}
