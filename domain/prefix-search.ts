import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../platform/database/orm.ts';
import { inIndexOrder, readByIndex } from '../platform/database/planner.ts';
import type { RowDeclaration } from '../platform/database/received-rows.ts';
import { rowsWithin, withinBytes, type BoundedRows } from '../platform/database/within-bytes.ts';
import { BoundedRow, maxExamined, withinLimit, type PageLimit } from './page-limit.ts';

/** Max characters of a prefix, and the characters of a name that the indexes hold. */
export const maxPrefixLength = 100;

/** The greatest character. Repeated after a prefix, it is the upper bound of the texts with the prefix. */
const greatest = '\u{10ffff}';

/** The indexed texts that a source of a search compares, in the order of the index. */
interface PrefixedTexts {
  readonly key: RawBuilder<unknown>;
  readonly from: RawBuilder<unknown>;
  readonly to: RawBuilder<unknown>;
}

/** SQL: texts of at most 1,000 bytes, compared byte by byte. */
export const bytewise = (key: RawBuilder<unknown>, prefix: string): PrefixedTexts => ({
  key,
  from: sql`${prefix}::text`,
  to: sql`${prefix + greatest.repeat(250)}::text`,
});

/**
 * SQL: names in lower case, by the locale of the database: the expression of the indexes `organization_name`,
 * `document_name` and `app_user_name`.
 */
export const named = (column: string, prefix: string): PrefixedTexts => ({
  key: sql`lower(left(${sql.ref(column)}, 100)) collate "C"`,
  from: sql`lower(${prefix}::text) collate "C"`,
  to: sql`(lower(${prefix}::text) || repeat(chr(1114111), 100)) collate "C"`,
});

/** One of the texts by which a search finds records. A record that an earlier source finds does not match. */
export interface SearchSource extends PrefixedTexts {
  /** SQL: the table with its alias. */
  readonly table: RawBuilder<unknown>;
  /** SQL: the surrogate key, the last column of the index. */
  readonly id: RawBuilder<unknown>;
  /** SQL: the condition of the index's first columns. */
  readonly scope: RawBuilder<unknown>;
  /** SQL: whether an examined row is part of the result. */
  readonly matches: RawBuilder<unknown>;
}

/** Columns that a search adds to those of its records. */
export const SearchRow = BoundedRow.extend({
  source: z.number(),
  key: z.string(),
  id: z.string(),
  matches: z.boolean(),
  /** The row is the last that a page may examine of its source. */
  last: z.boolean(),
});
type SearchRow = z.infer<typeof SearchRow>;

/** How a search reads the records that it found. */
export interface SearchedRecord extends Pick<BoundedRows, 'content' | 'beside'> {
  /** Columns of the record without `content`, which is `jsonb`. */
  readonly columns: readonly string[];
  /** SQL: these columns and `content`. */
  readonly selected: RawBuilder<unknown>;
  /** SQL: the tables, joined with `found` by its `id`. */
  readonly joined: RawBuilder<unknown>;
}

/** Where the next page of a search starts: after a row of a source. */
export interface SearchPosition {
  readonly source: number;
  readonly key: string;
  readonly id: string;
}

export interface SearchRange {
  readonly after: SearchPosition | undefined;
  readonly limit: PageLimit;
}

export interface SearchPage<Row> {
  readonly rows: readonly Row[];
  /** Undefined at the end. */
  readonly next: SearchPosition | undefined;
  /** The byte limit ended the page. */
  readonly cut: boolean;
}

/** Finds the next records, source after source. Examines up to `maxExamined` rows of each source. */
export async function searchByPrefix<Row extends SearchRow>(
  em: EntityManager,
  row: RowDeclaration<Row>,
  sources: readonly SearchSource[],
  { columns, selected, joined, content, beside }: SearchedRecord,
  range: SearchRange,
): Promise<SearchPage<Row>> {
  const first = range.after?.source ?? 0;
  const branches = sources
    .slice(first)
    .map((source, index) => sql`(${rowsOfSource(source, first + index, range)})`);
  const own = Object.keys(SearchRow.shape);
  const bounds = {
    from: 'candidate',
    order: sql`s.source, s.key, s.id`,
    content,
    beside,
    limit: range.limit,
  };
  const found = await readByIndex(
    em,
    async (reading) =>
      rowsWithin(
        reading,
        row,
        (sizing) => sql`
          with found as materialized (
            select * from (${sql.join(branches, sql` union all `)}) branches
            order by source, key, id limit ${range.limit.rows + 1}),
          candidate as (select found.*, ${selected} from ${joined}),
          ${withinBytes(sizing, { ...bounds, type: 'jsonb' })}
          select ${sql.join([...own, ...columns].map((column) => sql.ref(column)))},
            case when fits then ${sql.ref(content)} end as ${sql.ref(content)} from within order by nth`,
      ),
    inIndexOrder,
  );
  return pageOf(found, range);
}

function rowsOfSource(
  source: SearchSource,
  number: number,
  { after, limit }: SearchRange,
): RawBuilder<unknown> {
  const { table, key, id, from, to, scope, matches } = source;
  const behind =
    after?.source === number ? sql`and (${key}, ${id}) > (${after.key}, ${after.id}::bigint)` : sql``;
  return sql`
    select ${sql.lit(number)}::int as source, key, id, matches, nth = ${sql.lit(maxExamined)} as last from (
      select ${key} as key, ${id} as id, coalesce(${matches}, false) as matches,
        row_number() over (order by ${key}, ${id}) as nth
      from ${table} where ${scope} and ${key} >= ${from} and ${key} <= ${to} ${behind}
      order by ${key}, ${id} limit ${sql.lit(maxExamined)}) examined
    where matches or nth = ${sql.lit(maxExamined)} order by key, id limit ${limit.rows + 1}`;
}

function pageOf<Row extends SearchRow>(
  found: readonly Row[],
  { after, limit }: SearchRange,
): SearchPage<Row> {
  const { fitting, cut } = withinLimit(found);
  const rows: Row[] = [];
  let position = after;
  for (const row of fitting) {
    if (rows.length === limit.rows) return { rows, next: position, cut };
    if (row.matches) rows.push(row);
    position = { source: row.source, key: row.key, id: row.id };
    if (row.last) return { rows, next: position, cut };
  }
  return { rows, next: cut ? position : undefined, cut };
}
