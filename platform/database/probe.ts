import type { Pool } from 'pg';
import { classifyDatabaseError } from './failures.ts';

/** Milliseconds: longer than health pages wait, shorter than the time between two probes. */
const readTimeoutMs = 2_000;

/** A statement and its values, as Kysely compiles it. */
export interface ProbeStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/**
 * Returns the rows of a statement of a health page. Rejects when PostgreSQL does not respond within 2 s of a free
 * connection, and then discards the connection.
 */
export async function probe<Row extends object>(
  pool: Pool,
  { sql, parameters }: ProbeStatement,
): Promise<Row[]> {
  const client = await pool.connect();
  const query = { text: sql, values: [...parameters], query_timeout: readTimeoutMs };
  try {
    const { rows } = await client.query<Row>(query);
    client.release();
    return rows;
  } catch (error) {
    client.release(classifyDatabaseError(error) !== 'unexpected');
    throw error;
  }
}
