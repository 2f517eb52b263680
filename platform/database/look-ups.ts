import { sql, type RawBuilder } from 'kysely';
import { inTransaction, type EntityManager } from './orm.ts';
import { kyselyOf } from './statements.ts';

/**
 * Among what a statement selects: for the rest of the transaction each row is looked up by an index. Connections keep
 * plans, and one made while a table was small reads all of it for each row that it looks for; by the time statistics tell
 * the planner that it has grown, such a plan takes minutes.
 */
export const indexLookups = sql`set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true)`;

/**
 * Like `indexLookups`: a list is also read along its index, in its order, and no further than its page. A plan for a
 * page of any length would collect and sort everything where statistics tell of few rows.
 */
export const walkAlongIndex = sql`${indexLookups}, set_config('enable_bitmapscan', 'off', true),
  set_config('enable_sort', 'off', true)`;

/** Reads under `indexLookups`, or another such setting, in a transaction of its own. A statement must always be sent so, or never. */
export async function readByIndex<Result>(
  em: EntityManager,
  read: (em: EntityManager) => Promise<Result>,
  settings: RawBuilder<unknown> = indexLookups,
): Promise<Result> {
  return inTransaction({ em }, async (reading) => {
    await sql`select ${settings}`.execute(kyselyOf(reading));
    return read(reading);
  });
}
