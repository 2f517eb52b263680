import type { Pool } from 'pg';

/**
 * Runs a load of many rows with the tables' indexes out of the way, and re-creates them afterwards, sorted: several
 * times faster than keeping them up row by row. Indexes that hold a constraint stay.
 */
export async function withoutIndexes(
  sql: Pool,
  tables: readonly string[],
  load: () => Promise<void>,
): Promise<void> {
  const { rows } = await sql.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
     where i.indrelid = any($1::regclass[]) and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [tables],
  );
  for (const { name } of rows) await sql.query(`drop index ${name}`);
  await load();
  // One connection: what is set holds for it alone.
  const connection = await sql.connect();
  try {
    await connection.query(`set maintenance_work_mem = '512MB'`);
    for (const { definition } of rows) await connection.query(definition);
    await connection.query('reset maintenance_work_mem');
    await connection.query(`vacuum analyze ${tables.join(', ')}`);
  } finally {
    connection.release();
  }
}
