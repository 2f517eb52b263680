import { sql, type RawBuilder } from 'kysely';
import type { EntityManager } from './orm.ts';
import type { RowDeclaration } from './received-rows.ts';
import { rowsOf } from './statements.ts';

/** The columns that `withinBytes` needs of a page's rows. */
export interface BoundedRows {
  /** The CTE with the candidates in order: max one more than the page. */
  readonly from: string;
  readonly order: RawBuilder<unknown>;
  /** The JSON column, which may be large, and its type. */
  readonly content: string;
  readonly type: 'json' | 'jsonb';
  /** Bytes of the rest of the record; never null. */
  readonly beside: RawBuilder<unknown>;
  /** Max bytes of the page, and of a first record that exceeds it. */
  readonly limit: { readonly bytes: number; readonly aloneBytes: number };
}

/** Upper bound, in bytes, of the text of nearly every record. */
const maxTextBytes = 262_144;

/** Min estimated bytes of the rows that one step measures: more than the largest estimate of one row. */
const measuredBytes = maxTextBytes + 16_384;

/** Bytes that a view adds to a record: member names, times, the key. */
const viewBytes = 192;

/**
 * How a statement finds the end of its page. `estimated`: a compressed value counts as `maxTextBytes`; either all rows fit
 * or none does. `measured`: decompresses values step by step, and takes twice as long to plan and start on a short page.
 */
export type Sizing = 'estimated' | 'measured';

/** The rows of a statement bounded by `withinBytes`. Sends the measuring statement only when the estimate does not fit. */
export async function rowsWithin<Row extends { readonly fits: boolean | null }>(
  em: EntityManager,
  row: RowDeclaration<Row>,
  statement: (sizing: Sizing) => RawBuilder<unknown>,
): Promise<Row[]> {
  const estimated = await rowsOf(em, row, statement('estimated'));
  return estimated[0]?.fits === false ? rowsOf(em, row, statement('measured')) : estimated;
}

/**
 * CTEs that end with `within`: the leading rows of `from` with max `bytes` bytes of text, and the first row that does
 * not fit. Its columns include `nth`, `fits` and `candidates`. The statement must select `content` only where `fits` is
 * true.
 */
export function withinBytes(sizing: Sizing, page: BoundedRows): RawBuilder<unknown> {
  return sizing === 'estimated' ? estimatedRows(page) : measuredRows(page);
}

/** The rows with an upper bound of their bytes as `estimate`; the size of an uncompressed value is exact. */
function estimated({ from, content, type, beside }: BoundedRows): RawBuilder<unknown> {
  const value = sql.ref(`s.${content}`);
  return sql`(
    select s.*, ${sql.lit(viewBytes)} + ${beside} + case when ${value} is null then 0
      when pg_column_compression(${value}) is not null then ${sql.lit(maxTextBytes)}
      else ${type === 'json' ? sql`pg_column_size(${value})` : sql`octet_length(${value}::text)`} end as estimate
    from ${sql.table(from)} s) s`;
}

function estimatedRows(page: BoundedRows): RawBuilder<unknown> {
  const { bytes, aloneBytes } = page.limit;
  return sql`
    within as (
      select s.*, row_number() over (order by ${page.order}) as nth, count(*) over () as candidates,
        sum(s.estimate) over () <= case when count(*) over () > 1 then ${bytes}::bigint else ${aloneBytes}::bigint end as fits
      from ${estimated(page)})`;
}

/** A compressed value must be decompressed to know its size; PostgreSQL stops at the end of the page. */
function measuredRows(page: BoundedRows): RawBuilder<unknown> {
  const { order, content, beside } = page;
  const bytes = sql`${page.limit.bytes}::bigint`;
  return sql`
    numbered as materialized (
      select s.*, row_number() over page as nth, sum(s.estimate) over page as estimated
      from ${estimated(page)}
      window page as (order by ${order} rows unbounded preceding)),
    page_end as materialized (
      with recursive measured (step, total, ordinals, sizes) as (
        select -1::bigint, 0::bigint, '{}'::bigint[], '{}'::integer[]
        union all
        select m.step + 1, m.total + n.total, n.ordinals, n.sizes
        from measured m cross join lateral (
          select sum(p.size) as total, array_agg(p.nth order by p.nth) as ordinals, array_agg(p.size order by p.nth) as sizes
          from (select nth, (${sql.lit(viewBytes)} + ${beside} + coalesce(octet_length(${sql.ref(content)}::text), 0))::integer as size
                from numbered where (numbered.estimated - numbered.estimate) / greatest(${bytes}, ${sql.lit(measuredBytes)}) = m.step + 1) p) n
        where m.total < ${bytes} and n.ordinals is not null),
      sizes as (
        select u.nth, sum(u.size) over (order by u.nth rows unbounded preceding) as upto
        from measured m cross join lateral unnest(m.ordinals, m.sizes) as u (nth, size))
      select coalesce(max(nth) filter (where upto <= ${bytes} or (nth = 1 and upto <= ${page.limit.aloneBytes}::bigint)), 0) as last,
        (select count(*) from numbered) as candidates
      from sizes),
    within as (
      select p.*, p.nth <= e.last as fits, e.candidates from numbered p cross join page_end e
      where p.nth <= e.last + 1)`;
}
