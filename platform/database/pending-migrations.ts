import type { Pool } from 'pg';
import { migrations } from './migrations/list.ts';

export const migrationTable = 'schema_migration';

/** Milliseconds: longer than health pages wait, shorter than the time between two probes. */
const readTimeoutMs = 2_000;

const undefinedTable = '42P01';

/**
 * Names of the migrations that have not run on the database. Rejects when PostgreSQL does not respond within 2 s of a free
 * connection, and then discards the connection.
 */
export async function pendingMigrations(pool: Pool): Promise<string[]> {
  const done = new Set(await finishedMigrations(pool));
  return migrations.map(({ name }) => name).filter((name) => !done.has(name));
}

async function finishedMigrations(pool: Pool): Promise<string[]> {
  const client = await pool.connect();
  const query = { text: `select name from ${migrationTable}`, query_timeout: readTimeoutMs };
  try {
    const { rows } = await client.query<{ readonly name: string }>(query);
    client.release();
    return rows.map(({ name }) => name);
  } catch (error) {
    const absent = (error as { code?: string }).code === undefinedTable;
    client.release(!absent);
    if (absent) return [];
    throw error;
  }
}
