import { CompiledQuery, type QueryResult } from 'kysely';
import { PipelinedDialect } from './dialect.ts';
import type { EntityManager } from './orm.ts';

/**
 * Runs one parametrised statement (`$1`, `$2` …) in the entity manager's transaction, or by itself when there is none.
 * Column types as pg reads them, but `bigint` and `timestamptz` arrive as strings.
 */
export async function rows<Row extends object>(
  em: EntityManager,
  statement: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  const result = await execute<Row>(em, statement, parameters);
  return result.rows;
}

const execute = async <Row extends object>(
  em: EntityManager,
  statement: string,
  parameters: readonly unknown[],
): Promise<QueryResult<Row>> =>
  em.getKysely().executeQuery<Row>(CompiledQuery.raw(statement, parameters as unknown[]));

/** The only row of a statement that answers at most one. */
export async function row<Row extends object>(
  em: EntityManager,
  statement: string,
  parameters: readonly unknown[] = [],
): Promise<Row | undefined> {
  const [first] = await rows<Row>(em, statement, parameters);
  return first;
}

/**
 * `rows` of a statement that always ends at once, a few look-ups by key: outside a transaction it shares a connection with
 * others like it, and would keep them waiting.
 */
export async function quickRows<Row extends object>(
  em: EntityManager,
  statement: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const dialect: unknown = em.config.get('driverOptions');
  if (em.isInTransaction() || !(dialect instanceof PipelinedDialect))
    return rows<Row>(em, statement, parameters);
  return dialect.lookUps.rows<Row>({ sql: statement, parameters });
}

/** The only row of a `quickRows` statement that answers at most one. */
export async function quickRow<Row extends object>(
  em: EntityManager,
  statement: string,
  parameters: readonly unknown[],
): Promise<Row | undefined> {
  const [first] = await quickRows<Row>(em, statement, parameters);
  return first;
}

/** Runs a statement that changes rows and answers none; how many it inserted, updated or deleted. */
export async function changedRows(
  em: EntityManager,
  statement: string,
  parameters: readonly unknown[] = [],
): Promise<number> {
  const { numAffectedRows } = await execute(em, statement, parameters);
  return Number(numAffectedRows ?? 0);
}
