import type { Client } from 'pg';
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
  const reader = await readerOf(database);
  const dumped: Record<string, string[]> = {};
  const selects: string[] = [];
  for (const { name, columns } of reader.tables) {
    const chosen = choose(name, columns);
    if (chosen === undefined) continue;
    dumped[name] = [];
    selects.push(
      `select '${name}' as name, t::text as line from "${name}" t where ${conditions[chosen] ?? chosen}`,
    );
  }
  // One statement, planned once, because tests of all operations dump 100 tables after each call.
  const { rows } = await reader.client.query<{ name: string; line: string }>({
    name: tenantId === undefined ? 'all rows' : 'rows of a tenant',
    text: `${selects.join(' union all ')} order by 1, 2`,
    values: tenantId === undefined ? [] : [tenantId],
  });
  for (const { name, line } of rows) dumped[name]?.push(line);
  return dumped;
}

interface Reader {
  readonly client: Client;
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
}

const readers = new WeakMap<TestDatabase, Promise<Reader>>();

/** A connection of a database's own, and the tables of its schema, which no test that dumps rows adds to. */
async function readerOf(database: TestDatabase): Promise<Reader> {
  const known = readers.get(database);
  if (known !== undefined) return known;
  const made = database.connect().then(async (client) => {
    await client.query('set plan_cache_mode = force_generic_plan');
    const { rows } = await client.query<{ name: string; columns: string[] }>(
      `select c.relname as name, array_agg(a.attname::text) as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not exists (select from pg_inherits where inhrelid = c.oid)
         and c.relname not in ('idempotency', 'audit_entry', 'usage_hour', 'request_bucket', 'process')
       group by c.relname order by c.relname`,
    );
    return { client, tables: rows };
  });
  readers.set(database, made);
  return made;
}
