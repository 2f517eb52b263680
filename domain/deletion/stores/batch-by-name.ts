import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { onlyRowOf } from '../../../platform/database/statements.ts';
import { leadingWithin } from '../../leading-within.ts';
import { jsonKinds, type JsonKind } from '../../users/json-name.entity.ts';
import { blockBits } from '../../users/name-index.ts';
import type { Tables } from '../../tables.ts';
import type { StoreCursor, PersonScope } from './personal-data-store.ts';
import type { PersonIdentifiers } from './without-people.ts';

/** Limits of one batch: blocks of the index, records, and bytes as stored. */
const chunk = { blocks: 50, rows: 4_096, bytes: 4_194_304 } as const;

/** A table of records with free JSON. */
export interface NamedTable {
  readonly kind: JsonKind;
  readonly table: keyof Tables;
  readonly column: string;
  /** The column of `t` with the organization; undefined when records belong to none. */
  readonly organization: 'org_id' | 'id' | undefined;
  /** SQL: the bytes of JSON that a scrub of the record `t` reads. Defaults to those of its column. */
  readonly bytes?: RawBuilder<unknown>;
}

/** How records of one kind are judged and scrubbed. */
export interface JsonRecords extends NamedTable {
  /** SQL: the JSON of the record `t` that `names` judges. Defaults to its column. */
  readonly judged?: RawBuilder<unknown>;
  /** Removes people from records that name them. Returns the number of records. */
  scrub(
    em: EntityManager,
    scope: PersonScope,
    identifiers: PersonIdentifiers,
    ids: readonly string[],
  ): Promise<number>;
  readonly names: (body: unknown, identifiers: PersonIdentifiers) => boolean;
  /** SQL: whether another store counts the record `t`. */
  readonly countedElsewhere: (people: PersonScope) => RawBuilder<unknown>;
}

/** A batch of records of one table. */
export interface NamedBatch {
  /** Surrogate keys of records that may hold one of the names. */
  readonly ids: readonly string[];
  readonly last: StoreCursor | null;
}

/** Returns the next records, by key, in blocks that the index lists under one of the names. */
export async function batchByName(
  em: EntityManager,
  of: NamedTable,
  scope: PersonScope,
  names: readonly string[],
  after: StoreCursor | null,
): Promise<NamedBatch> {
  if (scope.organizations !== null && of.organization === undefined) return { ids: [], last: null };
  const [from = '-1'] = after ?? [];
  const found = await onlyRowOf(em, NamedRow, statement(of, scope, names, from));
  const blocks = found.blocks ?? [];
  const records = found.records ?? [];
  const taken = leadingWithin(records, chunk.bytes, ([, bytes]) => bytes);
  const ids = taken.map(([id]) => id);
  if (taken.length < records.length || records.length === chunk.rows)
    return { ids, last: [ids.at(-1) ?? from] };
  if (blocks.length < chunk.blocks) return { ids, last: null };
  return { ids, last: [lastOf(of.kind, blocks.at(-1) ?? '0')] };
}

const NamedRow = z.strictObject({
  blocks: z.array(z.string()).nullable(),
  records: z.array(z.tuple([z.string(), z.number()])).nullable(),
});

const lastOf = (kind: JsonKind, block: string): string =>
  String(((BigInt(block) + 1n) << BigInt(blockBits[kind])) - 1n);

/** Reads blocks by the primary key of json_name and records by that of their table; other conditions are unindexed. */
function statement(
  {
    kind,
    table,
    column,
    organization = 'org_id',
    bytes = sql`octet_length(${sql.ref(`t.${column}`)}::text)`,
  }: NamedTable,
  { tenantId, organizations }: PersonScope,
  names: readonly string[],
  after: string,
): RawBuilder<unknown> {
  const bits = sql.lit(blockBits[kind]);
  const inOrganizations = sql`and (${sql.ref(`t.${organization}`)} = any(${organizations}::bigint[])) is true`;
  return sql`
    with found as materialized (
      select distinct j.block from unnest(${names}::text[]) as n (name) cross join lateral (
        select j.block from json_name j
        where j.api_key_id = ${tenantId} and j.kind = ${jsonKinds[kind]} and j.name_hash = hashtextextended(n.name, ${tenantId}::bigint)
          and j.block >= (${after}::bigint + 1) >> ${bits}
        order by j.block limit ${sql.lit(chunk.blocks)}) j
      order by j.block limit ${sql.lit(chunk.blocks)}),
    held as materialized (
      select t.id, t.bytes from found f cross join lateral (
        select t.id, coalesce(${bytes}, 0) as bytes from ${sql.table(table)} t
        where t.id >= f.block << ${bits} and t.id < (f.block + 1) << ${bits} and t.id > ${after}::bigint
          and t.api_key_id + 0 = ${tenantId} ${organizations === null ? sql`` : inOrganizations}
        order by t.id limit ${sql.lit(chunk.rows)}) t
      order by t.id limit ${sql.lit(chunk.rows)})
    select (select json_agg(block::text order by block) from found) as blocks,
      (select json_agg(json_build_array(id::text, bytes) order by id) from held) as records`;
}
