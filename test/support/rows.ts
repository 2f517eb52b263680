import type { TestDatabase } from './database.ts';

/**
 * Returns every row of every table as text, by table, to detect changes. Excludes tables that record calls and
 * heartbeats: `idempotency`, `audit_entry`, `usage_hour`, `request_bucket` and `process`.
 */
export async function allRows(database: TestDatabase): Promise<Record<string, string[]>> {
  return dump(database, () => 'true');
}

/** Returns every row that belongs to a tenant, directly or by a foreign key, by table. */
export async function rowsOf(database: TestDatabase, tenantId: string): Promise<Record<string, string[]>> {
  const own: Readonly<Record<string, string>> = {
    api_key_id: 'api_key_id = $1',
    workspace_id: 'workspace_id = (select workspace_id from api_key where id = $1)',
    job_id: 'job_id in (select id from job where api_key_id = $1)',
    org_id: 'org_id in (select id from organization where api_key_id = $1)',
  };
  const rows = await dump(
    database,
    (table, columns) => {
      if (table === 'workspace') return 'id = (select workspace_id from api_key where id = $1)';
      return Object.keys(own).find((column) => columns.includes(column));
    },
    own,
    tenantId,
  );
  return rows;
}

async function dump(
  database: TestDatabase,
  choose: (table: string, columns: readonly string[]) => string | undefined,
  conditions: Readonly<Record<string, string>> = {},
  tenantId?: string,
): Promise<Record<string, string[]>> {
  const tables = await database.sql<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not exists (select from pg_inherits where inhrelid = c.oid)
       and c.relname not in ('idempotency', 'audit_entry', 'usage_hour', 'request_bucket', 'process')
     group by c.relname order by c.relname`,
  );
  const dumped: Record<string, string[]> = {};
  const selects: string[] = [];
  for (const { name, columns } of tables) {
    const chosen = choose(name, columns);
    if (chosen === undefined) continue;
    dumped[name] = [];
    selects.push(
      `select '${name}' as name, t::text as line from "${name}" t where ${conditions[chosen] ?? chosen}`,
    );
  }
  // One statement, because tests of all operations dump 100 tables after each call.
  const rows = await database.sql<{ name: string; line: string }>(
    `${selects.join(' union all ')} order by 1, 2`,
    tenantId === undefined ? [] : [tenantId],
  );
  for (const { name, line } of rows) dumped[name]?.push(line);
  return dumped;
}
