import type { EntityManager } from '../../../platform/database/orm.ts';
import { row } from '../../../platform/database/sql.ts';
import { jsonKinds, type JsonKind } from '../../users/json-name.entity.ts';
import { blockBits } from '../../users/name-index.ts';
import type { PersonCursor, PersonScope } from './place.ts';

/** A step reads so many blocks of the index, and so many records of them; it ends sooner when they are large (stored bytes). */
const chunk = { blocks: 50, rows: 4_096, bytes: 4_194_304 } as const;

/** Where records with free JSON are. */
export interface NamedTable {
  readonly kind: JsonKind;
  readonly table: string;
  readonly column: string;
  /** SQL: `t` lies in one of the organizations `$1`; undefined: never. */
  readonly inOrganizations: string | undefined;
}

export interface NamedStep {
  /** Surrogate keys of records that may hold one of the names. */
  readonly ids: readonly string[];
  readonly last: PersonCursor | null;
}

/** The next records in whose blocks the index has one of the names, in the order of their keys. */
export async function walkByName(
  em: EntityManager,
  of: NamedTable,
  { tenantId, organizations }: PersonScope,
  names: readonly string[],
  after: PersonCursor | null,
): Promise<NamedStep> {
  if (organizations !== null && of.inOrganizations === undefined) return { ids: [], last: null };
  const [from = '-1'] = after ?? [];
  const found = await row<{ blocks: string[] | null; records: [id: string, bytes: number][] | null }>(
    em,
    statement(of, organizations === null),
    [tenantId, names, from, organizations].slice(0, organizations === null ? 3 : 4),
  );
  const blocks = found?.blocks ?? [];
  const records = found?.records ?? [];
  const taken = withinBytes(records);
  const ids = taken.map(([id]) => id);
  if (taken.length < records.length || records.length === chunk.rows)
    return { ids, last: [ids.at(-1) ?? from] };
  if (blocks.length < chunk.blocks) return { ids, last: null };
  return { ids, last: [lastOf(of.kind, blocks.at(-1) ?? '0')] };
}

const lastOf = (kind: JsonKind, block: string): string =>
  String(((BigInt(block) + 1n) << BigInt(blockBits[kind])) - 1n);

/** Blocks by the primary key of json_name, records by that of their table: conditions that another index serves are hidden. */
function statement({ kind, table, column, inOrganizations }: NamedTable, everywhere: boolean): string {
  const bits = String(blockBits[kind]);
  const scope = everywhere ? '' : `and (${(inOrganizations ?? 'false').replaceAll('$1', '$4')}) is true`;
  return `
    with found as materialized (
      select distinct j.block from unnest($2::text[]) as n (name) cross join lateral (
        select j.block from json_name j
        where j.api_key_id = $1 and j.kind = ${String(jsonKinds[kind])} and j.name_hash = hashtextextended(n.name, $1::bigint)
          and j.block >= ($3::bigint + 1) >> ${bits}
        order by j.block limit ${String(chunk.blocks)}) j
      order by j.block limit ${String(chunk.blocks)}),
    held as materialized (
      select t.id, t.bytes from found f cross join lateral (
        select t.id, coalesce(pg_column_size(t.${column}), 0) as bytes from ${table} t
        where t.id >= f.block << ${bits} and t.id < (f.block + 1) << ${bits} and t.id > $3::bigint and t.api_key_id + 0 = $1 ${scope}
        order by t.id limit ${String(chunk.rows)}) t
      order by t.id limit ${String(chunk.rows)})
    select (select json_agg(block::text order by block) from found) as blocks,
      (select json_agg(json_build_array(id::text, bytes) order by id) from held) as records`;
}

function withinBytes<Row extends readonly [string, number]>(records: readonly Row[]): readonly Row[] {
  let bytes = 0;
  const end = records.findIndex(([, size]) => (bytes += size) > chunk.bytes);
  return end === -1 ? records : records.slice(0, Math.max(end, 1));
}
