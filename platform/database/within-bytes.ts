import { sql, type RawBuilder } from 'kysely';
import type { EntityManager } from './orm.ts';
import { rowsOf, type RowDeclaration } from './statements.ts';

/** What one record of a page is made of, over the columns of the rows. */
export interface BoundedRows {
  /** The CTE that holds the candidates, in order and at most one more than the page. */
  readonly from: string;
  readonly order: RawBuilder<unknown>;
  /** The column of JSON, which may be large, and its type. */
  readonly content: string;
  readonly type: 'json' | 'jsonb';
  /** Bytes of everything else in the record; never null. */
  readonly beside: RawBuilder<unknown>;
  /** Max bytes of the page, and of the first record. */
  readonly limit: { readonly bytes: number; readonly aloneBytes: number };
}

/** Upper bound, in bytes, of the text of nearly every record. */
const largestText = 262_144;

/** Estimated bytes of the rows that one step measures at least: more than one row has. */
const measuredBytes = largestText + 16_384;

/** Bytes that a view writes around a record: names of members, times, the key. */
const around = 192;

/**
 * How a statement finds the end of its page. `estimated`: compressed values count as the largest; all rows fit, or none is
 * said to. `measured`: step by step, with a plan and a start that cost twice as much as those of a short page itself.
 */
export type Sizing = 'estimated' | 'measured';

/**
 * The rows of a statement that bounds them by `withinBytes`. Nearly always the estimate is enough, and one statement is sent.
 */
export async function rowsWithin<Row extends { readonly fits: boolean | null }>(
  em: EntityManager,
  row: RowDeclaration<Row>,
  statement: (sizing: Sizing) => RawBuilder<unknown>,
): Promise<Row[]> {
  const estimated = await rowsOf(em, row, statement('estimated'));
  return estimated[0]?.fits === false ? rowsOf(em, row, statement('measured')) : estimated;
}

/**
 * CTEs that end with `within`, the leading rows of `from` whose text has at most `bytes` bytes, with the columns of
 * `BoundedRow` and `nth`, and the first row behind them, which does not fit. The statement shows `content` only where `fits` holds.
 */
export function withinBytes(sizing: Sizing, page: BoundedRows): RawBuilder<unknown> {
  return sizing === 'estimated' ? estimatedRows(page) : measuredRows(page);
}

/** The rows with at least the bytes of each as `estimate`. The size of a value that is not compressed is known. */
function estimated({ from, content, type, beside }: BoundedRows): RawBuilder<unknown> {
  const value = sql.ref(`s.${content}`);
  return sql`(
    select s.*, ${sql.lit(around)} + ${beside} + case when ${value} is null then 0
      when pg_column_compression(${value}) is not null then ${sql.lit(largestText)}
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

/** Only expanding a compressed value tells its size: PostgreSQL stops behind the page, and what lies beyond it costs nothing. */
function measuredRows(page: BoundedRows): RawBuilder<unknown> {
  const { order, content, beside } = page;
  const bytes = sql`${page.limit.bytes}::bigint`;
  return sql`
    placed as materialized (
      select s.*, row_number() over page as nth, sum(s.estimate) over page as estimated
      from ${estimated(page)}
      window page as (order by ${order} rows unbounded preceding)),
    page_end as materialized (
      with recursive measured (step, total, places, sizes) as (
        select -1::bigint, 0::bigint, '{}'::bigint[], '{}'::integer[]
        union all
        select m.step + 1, m.total + n.total, n.places, n.sizes
        from measured m cross join lateral (
          select sum(p.size) as total, array_agg(p.nth order by p.nth) as places, array_agg(p.size order by p.nth) as sizes
          from (select nth, (${sql.lit(around)} + ${beside} + coalesce(octet_length(${sql.ref(content)}::text), 0))::integer as size
                from placed where (placed.estimated - placed.estimate) / greatest(${bytes}, ${sql.lit(measuredBytes)}) = m.step + 1) p) n
        where m.total < ${bytes} and n.places is not null),
      sizes as (
        select u.nth, sum(u.size) over (order by u.nth rows unbounded preceding) as upto
        from measured m cross join lateral unnest(m.places, m.sizes) as u (nth, size))
      select coalesce(max(nth) filter (where upto <= ${bytes} or (nth = 1 and upto <= ${page.limit.aloneBytes}::bigint)), 0) as last,
        (select count(*) from placed) as candidates
      from sizes),
    within as (
      select p.*, p.nth <= e.last as fits, e.candidates from placed p cross join page_end e
      where p.nth <= e.last + 1)`;
}
