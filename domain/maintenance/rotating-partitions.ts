import { sql } from 'kysely';
import type { Orm } from '../../platform/database/orm.ts';
import { alterPartitions } from './day-partitions.ts';

/** Tables with three partitions, one per day in turn. */
const tables = ['idempotency', 'provider_answer'] as const;

/**
 * Empties tomorrow's partition of each table. Its rows were written before yesterday. By PostgreSQL's clock. Returns false
 * when a table was locked.
 */
export async function emptyRotatingPartitions(orm: Orm): Promise<boolean> {
  let emptied = true;
  for (const table of tables) {
    // Not `&&=`: one locked table must not keep the next from its turn.
    emptied = (await alterPartitions(orm, sql`select empty_next_slot(${table})`)) && emptied;
  }
  return emptied;
}
