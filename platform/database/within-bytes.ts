/** What one record of a page is made of, in SQL over the columns of the rows. */
export interface BoundedRows {
  /** The CTE that holds the candidates, in order and at most one more than the page. */
  readonly from: string;
  readonly order: string;
  /** The column of JSON, which may be large. */
  readonly content: string;
  /** SQL: bytes of everything else in the record. */
  readonly beside: string;
  /** Parameter: max bytes of the page. */
  readonly bytes: string;
  /** Parameter: max bytes of the first record. */
  readonly aloneBytes: string;
}

/** Upper bound, in bytes, of the text of nearly every record. */
const largestText = 262_144;

/** Bytes that a view writes around a record: names of members, times, the key. */
const around = 192;

/**
 * SQL: CTEs that end with `within`, the leading rows of `from` whose text has at most `bytes` bytes, with the columns of
 * `BoundedRow` and `nth`, and the first row behind them, which does not fit. The statement shows `content` only where `fits` holds.
 *
 * Only expanding a stored value tells its size, so PostgreSQL measures step by step and stops behind the page: what lies
 * beyond it, however well it was compressed, costs nothing. A row that is not compressed is estimated by its stored size;
 * the text of numbers in `jsonb` may have 32 times as many bytes.
 */
export function withinBytes({ from, order, content, beside, bytes, aloneBytes }: BoundedRows): string {
  return `
    placed as materialized (
      select s.*, row_number() over page as nth,
        sum(case when s.${content} is null then 192 when pg_column_compression(s.${content}) is not null then ${String(largestText)}
          else least(pg_column_size(s.${content}) * 32 + 192, ${String(largestText)}) end) over page / greatest(${bytes}, ${String(largestText + 1)}) as step
      from ${from} s window page as (order by ${order} rows unbounded preceding)),
    page_end as materialized (
      with recursive measured (step, total, places, sizes) as (
        select -1::bigint, 0::bigint, '{}'::bigint[], '{}'::integer[]
        union all
        select m.step + 1, m.total + n.total, n.places, n.sizes
        from measured m cross join lateral (
          select sum(p.size) as total, array_agg(p.nth order by p.nth) as places, array_agg(p.size order by p.nth) as sizes
          from (select nth, (${String(around)} + ${beside} + coalesce(octet_length(${content}::text), 0))::integer as size
                from placed where placed.step = m.step + 1) p) n
        where m.total < ${bytes} and n.places is not null),
      sizes as (
        select u.nth, sum(u.size) over (order by u.nth rows unbounded preceding) as upto
        from measured m cross join lateral unnest(m.places, m.sizes) as u (nth, size))
      select coalesce(max(nth) filter (where upto <= ${bytes} or (nth = 1 and upto <= ${aloneBytes})), 0) as last,
        (select count(*) from placed) as candidates
      from sizes),
    within as (
      select p.*, p.nth <= e.last as fits, e.candidates from placed p cross join page_end e
      where p.nth <= e.last + 1)`;
}
