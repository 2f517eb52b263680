import { CompiledQuery } from 'kysely';
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
  const query = CompiledQuery.raw(statement, parameters as unknown[]);
  const result = await em.getKysely().executeQuery<Row>(query);
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
