import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely } from 'kysely';

/**
 * Runs one parametrised statement (`$1`, `$2` …) in the entity manager's transaction, or by itself when there is none.
 * Column types as pg reads them, but `bigint` and `timestamptz` arrive as strings.
 */
export async function rows<Row extends object>(
  em: EntityManager,
  statement: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  const result = await executorOf(em).executeQuery<Row>(
    CompiledQuery.raw(statement, parameters as unknown[]),
  );
  return result.rows;
}

/** The only row of a statement that answers at most one. */
export async function row<Row extends object>(
  em: EntityManager,
  statement: string,
  parameters: readonly unknown[] = [],
): Promise<Row | undefined> {
  const [first] = await rows<Row>(em, statement, parameters);
  return first;
}

/** Runs a statement that changes rows and answers none; how many it inserted, updated or deleted. */
export async function changedRows(
  em: EntityManager,
  statement: string,
  parameters: readonly unknown[] = [],
): Promise<number> {
  const { numAffectedRows } = await executorOf(em).executeQuery(
    CompiledQuery.raw(statement, parameters as unknown[]),
  );
  return Number(numAffectedRows ?? 0);
}

const executorOf = (em: EntityManager): Kysely<unknown> =>
  em.getTransactionContext<Kysely<unknown>>() ?? em.getConnection().getClient();
