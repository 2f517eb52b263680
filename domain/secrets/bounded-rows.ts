import { sql, type RawBuilder } from 'kysely';

/** Max bytes of the secrets that one statement reads, unless the first secret alone is larger. */
const maxBytes = 8_388_608;

/** SQL: the first of `rows`, in their order, whose secrets have at most `maxBytes`; at least one row. */
export const boundedRows = (
  rows: RawBuilder<unknown>,
  { column, order }: { readonly column: string; readonly order: RawBuilder<unknown> },
): RawBuilder<unknown> => sql`(
  select * from (
    select r.*, coalesce(octet_length(${sql.ref(column)}), 0) as bytes,
      sum(coalesce(octet_length(${sql.ref(column)}), 0)) over (order by ${order} rows unbounded preceding) as bytes_so_far
    from (${rows}) r) r
  where bytes_so_far <= ${sql.lit(maxBytes)} or bytes_so_far = bytes)`;
