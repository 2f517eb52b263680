import type { Pool } from 'pg';

/**
 * Drops the tables' indexes and foreign keys during a load of many rows and re-creates them afterwards. This is several
 * times faster than maintaining them row by row. Indexes of constraints stay.
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
  const keys = await foreignKeysOf(sql, tables);
  for (const { name } of rows) await sql.query(`drop index ${name}`);
  for (const { table, name } of keys) await sql.query(`alter table ${table} drop constraint ${name}`);
  await load();
  // One connection, because the setting applies to its session only.
  const connection = await sql.connect();
  try {
    await connection.query(`set maintenance_work_mem = '512MB'`);
    for (const { definition } of rows) await connection.query(definition);
    for (const { table, name, definition } of keys)
      await connection.query(`alter table ${table} add constraint ${name} ${definition}`);
    await connection.query('reset maintenance_work_mem');
    await connection.query(`vacuum analyze ${tables.join(', ')}`);
  } finally {
    connection.release();
  }
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

async function foreignKeysOf(sql: Pool, tables: readonly string[]): Promise<readonly ForeignKey[]> {
  const { rows } = await sql.query<ForeignKey>(
    `select c.conrelid::regclass::text as table, quote_ident(c.conname) as name, pg_get_constraintdef(c.oid) as definition
     from pg_constraint c where c.contype = 'f' and c.conparentid = 0 and c.conrelid = any($1::regclass[])`,
    [tables],
  );
  return rows;
}
