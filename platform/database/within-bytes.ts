/** What one record of a page is made of, in SQL over the columns of the rows. */
export interface BoundedRows {
  /** The CTE that holds the candidates, in order and at most one more than the page. */
  readonly from: string;
  readonly order: string;
  /** The column of JSON, which may be large, and its type. */
  readonly content: string;
  readonly type: 'json' | 'jsonb';
  /** SQL: bytes of everything else in the record; never null. */
  readonly beside: string;
  /** Parameter: max bytes of the page. */
  readonly bytes: string;
  /** Parameter: max bytes of the first record. */
  readonly aloneBytes: string;
}

/** Upper bound, in bytes, of the text of nearly every record. */
const largestText = 262_144;

/** Estimated bytes of the rows that one step measures at least: more than one row has. */
const measuredBytes = largestText + 16_384;

/** Bytes that a view writes around a record: names of members, times, the key. */
const around = 192;

/**
 * SQL: CTEs that end with `within`, the leading rows of `from` whose text has at most `bytes` bytes, with the columns of
 * `BoundedRow` and `nth`, and the first row behind them, which does not fit. The statement shows `content` only where `fits` holds.
 *
 * The size of a value that is not compressed is known. Where the rows fit with the others at their largest, which is nearly
 * always so, nothing else is measured. Only expanding a compressed value tells its size, so PostgreSQL measures step by step
 * and stops behind the page: what lies beyond it costs nothing.
 */
export function withinBytes({ from, order, content, type, beside, bytes, aloneBytes }: BoundedRows): string {
  const plainSize = type === 'json' ? `pg_column_size(s.${content})` : `octet_length(s.${content}::text)`;
  return `
    placed as materialized (
      select s.*, row_number() over page as nth, sum(s.estimate) over page as estimated
      from (
        select s.*, ${String(around)} + ${beside} + case when s.${content} is null then 0
          when pg_column_compression(s.${content}) is not null then ${String(largestText)} else ${plainSize} end as estimate
        from ${from} s) s
      window page as (order by ${order} rows unbounded preceding)),
    page_end as materialized (
      select t.candidates, case when t.estimated <= ${bytes} then t.candidates else (
        with recursive measured (step, total, places, sizes) as (
          select -1::bigint, 0::bigint, '{}'::bigint[], '{}'::integer[]
          union all
          select m.step + 1, m.total + n.total, n.places, n.sizes
          from measured m cross join lateral (
            select sum(p.size) as total, array_agg(p.nth order by p.nth) as places, array_agg(p.size order by p.nth) as sizes
            from (select nth, (${String(around)} + ${beside} + coalesce(octet_length(${content}::text), 0))::integer as size
                  from placed where (placed.estimated - placed.estimate) / greatest(${bytes}, ${String(measuredBytes)}) = m.step + 1) p) n
          where m.total < ${bytes} and n.places is not null),
        sizes as (
          select u.nth, sum(u.size) over (order by u.nth rows unbounded preceding) as upto
          from measured m cross join lateral unnest(m.places, m.sizes) as u (nth, size))
        select coalesce(max(nth) filter (where upto <= ${bytes} or (nth = 1 and upto <= ${aloneBytes})), 0) from sizes) end as last
      from (select count(*) as candidates, coalesce(max(estimated), 0) as estimated from placed) t),
    within as (
      select p.*, p.nth <= e.last as fits, e.candidates from placed p cross join page_end e
      where p.nth <= e.last + 1)`;
}
