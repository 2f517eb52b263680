import {
  sql,
  type Compilable,
  type CompiledQuery,
  type Kysely,
  type QueryResult,
  type RawBuilder,
} from 'kysely';
import { PipelinedDialect } from './dialect.ts';
import type { EntityManager } from './orm.ts';
import { publishRows, type RowDeclaration } from './received-rows.ts';

/**
 * Kysely in the transaction of `em`, if it has one. `getKysely` gets no options, so that names stay the database's and no
 * MikroORM plugin visits each statement.
 */
export const kyselyOf = <Tables>(em: EntityManager): Kysely<Tables> =>
  em.getKysely() as unknown as Kysely<Tables>;

/** The rows of a statement that Kysely cannot build, as `row` declares them. */
export async function rowsOf<Row extends object>(
  em: EntityManager,
  row: RowDeclaration<Row>,
  statement: RawBuilder<unknown>,
): Promise<Row[]> {
  const { rows } = (await statement.execute(kyselyOf(em))) as QueryResult<Row>;
  publishRows(row, rows);
  return rows;
}

/** The row of a statement that returns max one; see `rowsOf`. */
export async function rowOf<Row extends object>(
  em: EntityManager,
  row: RowDeclaration<Row>,
  statement: RawBuilder<unknown>,
): Promise<Row | undefined> {
  const [first] = await rowsOf(em, row, statement);
  return first;
}

/** The row of a statement that always returns exactly one, such as an aggregate; see `rowsOf`. */
export async function onlyRowOf<Row extends object>(
  em: EntityManager,
  row: RowDeclaration<Row>,
  statement: RawBuilder<unknown>,
): Promise<Row> {
  const only = await rowOf(em, row, statement);
  if (only === undefined) throw new Error('missing row of a statement that returns one');
  return only;
}

/** The number of rows that a statement inserted, updated or deleted. */
export async function changedBy(em: EntityManager, statement: RawBuilder<unknown>): Promise<number> {
  const { numAffectedRows } = await statement.execute(kyselyOf(em));
  return Number(numAffectedRows ?? 0);
}

/**
 * The rows of a fast lookup by key. Outside a transaction it shares a connection with other lookups, so a slow statement
 * would delay them.
 */
export async function lookup<Row extends object>(em: EntityManager, query: Compilable<Row>): Promise<Row[]> {
  const compiled = query.compile();
  const dialect: unknown = em.config.get('driverOptions');
  if (!em.isInTransaction() && dialect instanceof PipelinedDialect)
    return dialect.lookups.rows<Row>(compiled);
  const { rows } = await kyselyOf(em).executeQuery(compiled);
  return rows;
}

/** `lookup` of a statement that Kysely cannot build; see `rowsOf`. */
export async function lookupOf<Row extends object>(
  em: EntityManager,
  row: RowDeclaration<Row>,
  statement: RawBuilder<unknown>,
): Promise<Row[]> {
  const compile = () => statement.compile(kyselyOf(em)) as CompiledQuery<Row>;
  const rows = await lookup<Row>(em, { compile });
  publishRows(row, rows);
  return rows;
}

/** For `where(column, '=', anyOf(values))`: one parameter for any number of values, so the statement text is constant. */
export const anyOf = <Value extends string>(values: readonly Value[]): RawBuilder<Value> =>
  sql<Value>`any(${values}::text[])`;

/** `anyOf` for surrogate keys. */
export const anyOfIds = (ids: readonly string[]): RawBuilder<string> => sql<string>`any(${ids}::bigint[])`;
