import { sql } from 'kysely';
import type { Orm } from '../../platform/database/orm.ts';
import { alterPartitions } from './day-partitions.ts';

/** Tables with three partitions, used one day each in rotation. */
const tables = ['idempotency', 'provider_answer'] as const;

/**
 * Empties tomorrow's partition of each table, by PostgreSQL's clock. Its rows were written before yesterday. Returns
 * false when a table was locked.
 */
export async function emptyRotatingPartitions(orm: Orm): Promise<boolean> {
  let emptied = true;
  for (const table of tables) {
    // Not `&&=`: a locked table must not prevent the next one from being emptied.
    emptied = (await alterPartitions(orm, sql`select empty_next_slot(${table})`)) && emptied;
  }
  return emptied;
}
