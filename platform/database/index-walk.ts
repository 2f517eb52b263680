import { sql } from 'kysely';
import { walkAlongIndex } from './look-ups.ts';
import type { EntityManager } from './orm.ts';
import { kyselyOf } from './statements.ts';

/**
 * For the rest of the transaction, statements read along an index in its order. Without it, over a table that has not
 * been vacuumed yet, the planner sorts everything that is left for each chunk of a walk.
 */
export async function walkAlongIndexes(em: EntityManager): Promise<void> {
  await sql`select ${walkAlongIndex}`.execute(kyselyOf(em));
}
