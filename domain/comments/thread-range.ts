import { sql, type RawBuilder } from 'kysely';
import { maxBigint } from '../bigint-range.ts';
import type { AnnotationFilter } from './annotation-filter.ts';
import type { ThreadPosition } from './thread-page.ts';

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

/** The threads to read, and their order. */
export interface ThreadQuery {
  readonly source: ThreadSource;
  readonly filter: AnnotationFilter;
  readonly order: 'asc' | 'desc';
  /** Milliseconds, exclusive. */
  readonly updatedAfter?: number | undefined;
  readonly updatedBefore?: number | undefined;
}

/** SQL: the index of a source, which finds the threads `t` of one of its keys, `k`, in order. */
export interface SourceIndex {
  readonly keys: RawBuilder<unknown>;
  readonly of: RawBuilder<unknown>;
  /** Leading columns of the order, and their values: only the index that begins with them serves the range. */
  readonly prefix?: { readonly columns: readonly string[]; readonly values: RawBuilder<unknown> };
  /** The time, in a form that no other index orders by. */
  readonly time: string;
}

export function indexOf(source: ThreadSource, organization: string): SourceIndex {
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
export function rangeOf(
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
  const low = { updatedAt: String(updatedAfter ?? -1), id: maxBigint };
  const high = { updatedAt: String(updatedBefore ?? maxBigint), id: '0' };
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
export function coverage(source: ThreadSource): {
  covered: keyof AnnotationFilter | undefined;
  keys: number;
} {
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
