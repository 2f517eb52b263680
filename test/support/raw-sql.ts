import { CompiledQuery } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { kyselyOf, lookup } from '../../platform/database/statements.ts';

/** Sends a statement with parameters (`$1`, `$2` …) through the dialect, in the transaction of `em` if it has one. */
export async function rows<Row extends object>(
  em: EntityManager,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  const result = await kyselyOf(em).executeQuery<Row>(CompiledQuery.raw(text, [...parameters]));
  return result.rows;
}

/** Returns the first row of `rows`. */
export async function row<Row extends object>(
  em: EntityManager,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<Row | undefined> {
  const [first] = await rows<Row>(em, text, parameters);
  return first;
}

/** Returns the first row of a statement that is sent as a `lookup`. */
export async function lookupRow<Row extends object>(
  em: EntityManager,
  text: string,
  parameters: readonly unknown[],
): Promise<Row | undefined> {
  const [first] = await lookup<Row>(em, { compile: () => CompiledQuery.raw(text, [...parameters]) });
  return first;
}
