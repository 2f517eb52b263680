import type { Pool } from 'pg';
import { isMissingTable } from './failures.ts';
import { migrations } from './migrations/list.ts';
import { probe } from './probe.ts';

export const migrationTable = 'schema_migration';

/** Names of the migrations that have not run on the database. Rejects as `probe` does. */
export async function pendingMigrations(pool: Pool): Promise<string[]> {
  const done = new Set(await finishedMigrations(pool));
  return migrations.map(({ name }) => name).filter((name) => !done.has(name));
}

async function finishedMigrations(pool: Pool): Promise<string[]> {
  const statement = { sql: `select name from ${migrationTable}`, parameters: [] };
  try {
    const rows = await probe<{ readonly name: string }>(pool, statement);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (isMissingTable(error)) return [];
    throw error;
  }
}
