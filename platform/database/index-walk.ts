import type { EntityManager } from '@mikro-orm/postgresql';
import { row } from './sql.ts';

/**
 * For the rest of the transaction, statements read along an index in its order. Without it, over a table that has not
 * been vacuumed yet, the planner sorts everything that is left for each chunk of a walk.
 */
export async function walkAlongIndexes(em: EntityManager): Promise<void> {
  await row(
    em,
    `select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
       set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true)`,
  );
}
