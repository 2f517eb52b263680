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

/**
 * Kysely in the transaction of `em` where it has one. Called without options, so that names are the database's and no plugin
 * of MikroORM's visits each statement.
 */
export const kyselyOf = <Tables>(em: EntityManager): Kysely<Tables> =>
  em.getKysely() as unknown as Kysely<Tables>;

/** What a row holds: a schema of zod. Rows are not parsed by it, but tests hold what PostgreSQL returns against it. */
export interface RowDeclaration<Row> {
  parse(row: unknown): Row;
}

/** Tests set `judge`, which holds the rows that each statement returns against their declaration. */
export const rowChecks: {
  judge: ((row: RowDeclaration<unknown>, rows: readonly unknown[]) => void) | undefined;
} = {
  judge: undefined,
};

/** The rows of a statement that Kysely cannot build, as `row` declares them. */
export async function rowsOf<Row extends object>(
  em: EntityManager,
  row: RowDeclaration<Row>,
  statement: RawBuilder<unknown>,
): Promise<Row[]> {
  const { rows } = (await statement.execute(kyselyOf(em))) as QueryResult<Row>;
  rowChecks.judge?.(row, rows);
  return rows;
}

/** The only row of a statement that returns at most one; see `rowsOf`. */
export async function rowOf<Row extends object>(
  em: EntityManager,
  row: RowDeclaration<Row>,
  statement: RawBuilder<unknown>,
): Promise<Row | undefined> {
  const [first] = await rowsOf(em, row, statement);
  return first;
}

/** How many rows a statement inserted, updated or deleted. */
export async function changedBy(em: EntityManager, statement: RawBuilder<unknown>): Promise<number> {
  const { numAffectedRows } = await statement.execute(kyselyOf(em));
  return Number(numAffectedRows ?? 0);
}

/**
 * Rows of a statement that always ends at once, a few look-ups by key: outside a transaction it shares a connection with
 * others like it, and would keep them waiting.
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
  rowChecks.judge?.(row, rows);
  return rows;
}

/** For `where(column, '=', anyOf(values))`: one parameter however many values there are, and so one text. */
export const anyOf = <Value extends string>(values: readonly Value[]): RawBuilder<Value> =>
  sql<Value>`any(${values}::text[])`;
