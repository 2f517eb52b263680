import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsWithin, withinBytes, type Sizing } from '../../platform/database/within-bytes.ts';
import { isVisible } from '../documents/resolve-document.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { BoundedRow, withinLimit, type PageLimit } from '../page-limit.ts';
import { isResidual, matchesFilter, type AnnotationFilter } from './annotation-filter.ts';
import type { ThreadBody } from './thread.ts';

/**
 * The threads to read, each source by an index in the order of time. Surrogate keys, except `annotationIds`; max 100
 * each.
 */
export type ThreadSource =
  | { readonly by: 'organization' }
  | {
      readonly by: 'documents';
      readonly documents: readonly string[];
      /** The condition by which the documents were found. */
      readonly covers?: 'folder' | undefined;
    }
  | { readonly by: 'creators'; readonly creators: readonly string[] }
  | { readonly by: 'annotationIds'; readonly annotationIds: readonly string[] };

export const ThreadRow = z.strictObject({
  id: z.string(),
  ext_id: z.string(),
  document_id: z.string(),
  location_id: z.string().nullable(),
  creator_id: z.string().nullable(),
  kind: z.number(),
  suggestion: z.number().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  comment_count: z.number(),
  reaction_count: z.number(),
  body: z.custom<ThreadBody>(),
  document_ext_id: z.string(),
  folder_ext_id: z.string().nullable(),
});
export type ThreadRow = z.infer<typeof ThreadRow>;

/** A position in the order of the last update, then surrogate key. */
export interface ThreadPosition {
  readonly updatedAt: string;
  readonly id: string;
}

/** A page of threads. */
export interface ThreadPage {
  readonly threads: readonly ThreadRow[];
  /** The next page starts after it; undefined at the end. */
  readonly next: ThreadPosition | undefined;
  /** True when the byte limit ended the page, and when the first thread does not fit in `contents`. */
  readonly cut: boolean;
}

/** The threads to read, and their order. */
export interface ThreadQuery {
  readonly source: ThreadSource;
  readonly filter: AnnotationFilter;
  readonly order: 'asc' | 'desc';
  /** Milliseconds, exclusive. */
  readonly updatedAfter?: number | undefined;
  readonly updatedBefore?: number | undefined;
}

export interface Paging {
  readonly after: ThreadPosition | undefined;
  readonly limit: PageLimit;
  /** Comments and reactions left in the page; see `maxContents`. */
  readonly contents: number;
}

/** Max threads examined per page. Filters without an index may return a short page before the end. */
export const maxExamined = 20_000;

/** Max comments and reactions of a page. */
export const maxContents = 20_000;

export const FoundRow = ThreadRow.extend(BoundedRow.shape).extend({
  matches: z.boolean(),
  last: z.boolean(),
  // Null where `matches` is false.
  body: z.custom<ThreadBody>(),
  document_ext_id: z.custom<string>(),
});
type FoundRow = z.infer<typeof FoundRow>;

/** Reads threads by their last update, then order of writing. Threads of deleted documents are omitted. */
export async function readThreads(
  em: EntityManager,
  organization: ResolvedOrganization,
  query: ThreadQuery,
  paging: Paging,
): Promise<ThreadPage> {
  const { after } = paging;
  const found = await rowsWithin(em, FoundRow, (sizing) => statement(organization, query, paging, sizing));
  const { threads, cut, end } = pageOf(found, paging);
  return { threads, next: positionOf(end) ?? (cut ? after : undefined), cut };
}

/** The threads of a page, and the last row that it examines; undefined when it starts at its end or nothing follows. */
export function pageOf<Row extends FoundRow>(
  found: readonly Row[],
  { limit, contents }: Pick<Paging, 'limit' | 'contents'>,
): { readonly threads: readonly Row[]; readonly cut: boolean; readonly end: Row | undefined } {
  const { fitting, cut } = withinLimit(found);
  const matching = fitting.filter(({ matches }) => matches);
  const inLimit = matching.slice(0, limit.rows);
  const threads = withinContents(inLimit, contents);
  if (threads.length === 0 && inLimit.length > 0) return { threads, cut: true, end: undefined };
  if (threads.length < inLimit.length) return { threads, cut: false, end: threads.at(-1) };
  if (cut) return { threads, cut, end: threads.at(-1) };
  // The last row examined is returned even without a match: it is the cursor of the next page.
  const end = matching.length > limit.rows ? threads.at(-1) : found.find(({ last }) => last);
  return { threads, cut: false, end };
}

/** The first threads with at most `max` comments and reactions together. A whole page holds any thread. */
function withinContents<Row extends ThreadRow>(threads: readonly Row[], max: number): readonly Row[] {
  let contents = 0;
  const end = threads.findIndex(({ comment_count, reaction_count }) => {
    contents += comment_count + reaction_count;
    return contents > max;
  });
  return end === -1 ? threads : threads.slice(0, end);
}

const positionOf = (row: ThreadRow | undefined): ThreadPosition | undefined =>
  row && { updatedAt: row.updated_at, id: row.id };

const highest = '9223372036854775807';

/** SQL: the index of a source, which finds the threads `t` of one of its keys, `k`, in order. */
interface SourceIndex {
  readonly keys: RawBuilder<unknown>;
  readonly of: RawBuilder<unknown>;
  /** Leading columns of the order, and their values: only the index that begins with them serves the range. */
  readonly prefix?: { readonly columns: readonly string[]; readonly values: RawBuilder<unknown> };
  /** The time, in a form that no other index orders by. */
  readonly time: string;
}

function indexOf(source: ThreadSource, organization: string): SourceIndex {
  switch (source.by) {
    case 'organization':
      return { keys: sql`(select 1) as k (id)`, of: sql`t.org_id = ${organization}`, time: 't.updated_at' };
    case 'documents':
      return {
        keys: sql`unnest(${source.documents}::bigint[]) as k (id)`,
        of: sql`t.document_id = k.id`,
        time: 't.updated_at',
      };
    case 'creators':
      return {
        keys: sql`unnest(${source.creators}::bigint[]) as k (id)`,
        of: sql`true`,
        prefix: { columns: ['t.creator_id', 't.org_id'], values: sql`k.id, ${organization}::bigint` },
        time: 't.updated_at',
      };
    case 'annotationIds':
      return {
        keys: sql`unnest(${source.annotationIds}::text[]) as k (id)`,
        of: sql`t.org_id = ${organization} and t.ext_id = k.id`,
        time: '(t.updated_at + 0)',
      };
  }
}

/** SQL: the range of threads of one key after a position, and its order. */
function rangeOf(
  { prefix, time }: SourceIndex,
  { order, updatedAfter, updatedBefore }: ThreadQuery,
  after: ThreadPosition | undefined,
): { readonly within: RawBuilder<unknown>; readonly ordered: RawBuilder<unknown> } {
  const columns = [...(prefix?.columns ?? []), time, 't.id'];
  const bound = ({ updatedAt, id }: ThreadPosition) =>
    sql`(${prefix === undefined ? sql`` : sql`${prefix.values}, `}${updatedAt}::bigint, ${id}::bigint)`;
  const { low, high } = boundsOf({ order, updatedAfter, updatedBefore }, after);
  const row = sql.raw(`(${columns.join(', ')})`);
  return {
    within: sql`${row} > ${bound(low)} and ${row} < ${bound(high)}`,
    ordered: sql.raw(columns.map((column) => `${column} ${order}`).join(', ')),
  };
}

/** The exclusive bounds of the threads after a position. */
export function boundsOf(
  { order, updatedAfter, updatedBefore }: Pick<ThreadQuery, 'order' | 'updatedAfter' | 'updatedBefore'>,
  after: ThreadPosition | undefined,
): { readonly low: ThreadPosition; readonly high: ThreadPosition } {
  const low = { updatedAt: String(updatedAfter ?? -1), id: highest };
  const high = { updatedAt: String(updatedBefore ?? highest), id: '0' };
  if (after === undefined) return { low, high };
  return order === 'asc' ? { low: later(after, low), high } : { low, high: earlier(after, high) };
}

const isLater = (one: ThreadPosition, other: ThreadPosition): boolean =>
  BigInt(one.updatedAt) === BigInt(other.updatedAt)
    ? BigInt(one.id) > BigInt(other.id)
    : BigInt(one.updatedAt) > BigInt(other.updatedAt);
const later = (one: ThreadPosition, other: ThreadPosition) => (isLater(one, other) ? one : other);
const earlier = (one: ThreadPosition, other: ThreadPosition) => (isLater(one, other) ? other : one);

/** The condition of a filter that the source's index covers, and the number of its keys. */
function coverage(source: ThreadSource): { covered: keyof AnnotationFilter | undefined; keys: number } {
  switch (source.by) {
    case 'organization':
      return { covered: undefined, keys: 1 };
    case 'documents':
      return { covered: source.covers, keys: source.documents.length };
    case 'creators':
      return { covered: 'creators', keys: source.creators.length };
    case 'annotationIds':
      return { covered: 'annotationIds', keys: source.annotationIds.length };
  }
}

/**
 * SQL: reads the first threads of each key by index and merges them. The page ends at the last thread of a key that may
 * have more; later threads of other keys are on the next page.
 */
function statement(
  { id: organization }: ResolvedOrganization,
  query: ThreadQuery,
  { after, limit }: Paging,
  sizing: Sizing,
): RawBuilder<unknown> {
  const { source, filter, order } = query;
  const { covered, keys: count } = coverage(source);
  const index = indexOf(source, organization);
  const { within, ordered: range } = rangeOf(index, query, after);
  const examined = isResidual(filter, covered)
    ? Math.max(1, Math.floor(maxExamined / count))
    : limit.rows + 1;
  const [upTo, way] = order === 'asc' ? ['<=', 'asc'] : ['>=', 'desc'];
  const ordered = (row: string) => sql.raw(`${row}.updated_at ${way}, ${row}.id ${way}`);
  return sql`
    with examined as materialized (
      select x.* from ${index.keys} cross join lateral (
        select t.id, t.updated_at, row_number() over (order by ${range}) as nth from thread t
        where ${index.of} and ${within} order by ${range} limit ${examined}) x),
    boundary as materialized (
      select e.updated_at, e.id from examined e where e.nth = ${examined} order by ${ordered('e')} limit 1),
    considered as materialized (
      select e.id, e.updated_at, e.id = (select id from boundary) is true as last from examined e
      where not exists (select from boundary)
        or (e.updated_at, e.id) ${sql.raw(upTo)} ((select updated_at from boundary), (select id from boundary))
      order by ${ordered('e')}),
    ${threadsOf({ organization, filter, ordered, beside: sql`` }, limit, sizing)}`;
}

/** Rows `considered`: `id`, `updated_at`, `last`, and further columns `beside`, each after a comma. */
interface Considered {
  readonly organization: string;
  readonly filter: AnnotationFilter;
  readonly ordered: (row: string) => RawBuilder<unknown>;
  readonly beside: RawBuilder<unknown>;
}

/** SQL: the end of a statement, which reads the page of the matching threads among those considered. */
export function threadsOf(
  { organization, filter, ordered, beside: further }: Considered,
  limit: PageLimit,
  sizing: Sizing,
): RawBuilder<unknown> {
  return sql`
    judged as (
      select e.id, e.last, t.ext_id, t.document_id, t.location_id, t.creator_id, t.kind, t.suggestion, t.created_at, e.updated_at,
        t.comment_count, t.reaction_count, t.content_bytes, t.body, d.ext_id as document_ext_id,
        (select f.ext_id from folder f where f.id = d.folder_id) as folder_ext_id,
        (t.org_id = ${organization} and d.deleted_at is null and ${isVisible} and ${matchesFilter(filter)}) is true as matches ${further}
      from considered e
        cross join lateral (select * from thread where id = e.id offset 0) t
        cross join lateral (select * from document where id = t.document_id offset 0) d),
    page as (
      select j.*, row_number() over (order by ${ordered('j')}) as position from judged j where j.matches or j.last
      order by ${ordered('j')} limit ${limit.rows + 1}),
    sized as (select id, last, ext_id, document_id, location_id, creator_id, kind, suggestion, created_at, updated_at, comment_count,
        reaction_count, content_bytes, case when matches then body end as body, document_ext_id, folder_ext_id, matches, position
        ${further}
      from page),
    ${withinBytes(sizing, {
      from: 'sized',
      order: sql`s.position`,
      content: 'body',
      type: 'json',
      beside,
      limit,
    })}
    select ${shown}, matches, last ${further} from within order by nth`;
}

/** SQL: bytes of a thread in addition to its body: comments, reactions, and the members that a response adds to each. */
export const beside = sql`2 * octet_length(ext_id) + 1024 + content_bytes + 512 * comment_count + 256 * reaction_count`;

/** SQL: the columns of a thread in a page. */
export const shown = sql`id, ext_id, document_id, location_id, creator_id, kind, suggestion, created_at, updated_at, comment_count,
  reaction_count, case when fits then body end as body, document_ext_id, folder_ext_id, fits, candidates`;
