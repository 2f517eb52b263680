import './row-checks.ts';
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { Client, Pool } from 'pg';
import { migrateDatabase } from '../../platform/database/migrate.ts';
import { alterRole, roleSettings } from '../../platform/database/role-settings.ts';
import { eventually } from './eventually.ts';
import { pooledUrl } from './pooler.ts';

/** An empty database for one test file, with the current schema. */
export interface TestDatabase {
  /** URL for the product, through PgBouncer when TEST_POOLER is set. */
  readonly url: string;
  /** URL that bypasses PgBouncer. */
  readonly directUrl: string;
  /** Runs a statement on a separate connection. `bigint` is returned as text. */
  sql<Row extends object>(statement: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Opens a connection for a transaction of the test. The test or the drop of the database ends it. */
  connect(): Promise<Client>;
  readonly drop: () => Promise<void>;
}

/** Superuser of the servers of this test run. */
export function adminUrl(): string {
  const url = process.env['TEST_DATABASE_URL'];
  if (url === undefined) throw new Error('TEST_DATABASE_URL is not set: run the tests with npm test.');
  return url;
}

export const urlOf = (database: string, server = adminUrl()): string => {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
};

/** Creates a database from the template, which the first caller creates. `server` is a superuser's URL. */
export async function aDatabase(server = adminUrl()): Promise<TestDatabase> {
  return openedDatabase(await createDatabase(await templateOf(server), server), server);
}

/** Creates a database whose statements may take minutes: a slow machine needs them for large amounts of rows. */
export async function aPatientDatabase(): Promise<TestDatabase> {
  const database = await aDatabase();
  const name = new URL(database.directUrl).pathname.slice(1);
  await database.sql(alterRole('session_user', name, { ...roleSettings, statement_timeout: '600000' }));
  return database;
}

/** Creates a database without tables. */
export async function anEmptyDatabase(): Promise<TestDatabase> {
  return openedDatabase(await createDatabase('template1', adminUrl()), adminUrl());
}

async function createDatabase(source: string, server: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asAdmin(server, async (admin) => {
    // Copies files. The default writes each page of the template to the WAL and takes 20 times the CPU time.
    await whenUnused(admin, `create database ${name} template ${source} strategy file_copy`);
    // Settings that `migrate` applies and that a template does not pass on.
    if (source !== 'template1') await admin.query(alterRole('session_user', name));
  });
  return name;
}

/** Statements of tests have no time limit and may read whole tables, unlike those of the product. */
const testSettings =
  '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c enable_seqscan=on -c enable_mergejoin=on -c plan_cache_mode=auto';

/** Opens a database that exists. `server` is a superuser's URL. */
export function openedDatabase(name: string, server: string): TestDatabase {
  const directUrl = urlOf(name, server);
  const pool = new Pool({
    connectionString: directUrl,
    options: testSettings,
    max: 4,
    allowExitOnIdle: true,
  });
  // Errors of connections that the test ends, or that end with the database.
  pool.on('error', () => undefined);
  const own: Client[] = [];
  return {
    url: pooledUrl(directUrl),
    directUrl,
    sql: async <Row extends object>(statement: string, parameters: readonly unknown[] = []) =>
      (await pool.query<Row>(statement, [...parameters])).rows,
    async connect() {
      const client = new Client({ connectionString: directUrl, options: testSettings });
      client.on('error', () => undefined);
      await client.connect();
      own.push(client);
      return client;
    },
    async drop() {
      await Promise.allSettled(own.map((client) => client.end()));
      await pool.end();
      await asAdmin(server, (admin) => admin.query(`drop database if exists ${name} with (force)`));
    },
  };
}

const migrationsFolder = new URL('../../platform/database/migrations/', import.meta.url);

const templates = new Map<string, Promise<string>>();

/** Returns the name of a server's template. A failure is not kept. */
async function templateOf(server: string): Promise<string> {
  const known = templates.get(server) ?? makeTemplate(server);
  templates.set(server, known);
  known.catch(() => templates.delete(server));
  return known;
}

/** Named after the migrations, so that a template is never older than they are. */
async function makeTemplate(server: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of (await readdir(migrationsFolder)).sort()) {
    hash.update(await readFile(new URL(file, migrationsFolder)));
  }
  const name = `template_${hash.digest('hex').slice(0, 16)}`;
  await asAdmin(server, async (admin) => {
    if (await exists(admin, name)) return;
    await admin.query('select pg_advisory_lock(20261121)');
    if (await exists(admin, name)) return;
    // Renamed when complete: a killed run must not leave an incomplete template.
    await admin.query(`drop database if exists ${name}_making with (force)`);
    await admin.query(`create database ${name}_making`);
    await migrateDatabase(urlOf(`${name}_making`, server));
    await whenUnused(admin, `alter database ${name}_making rename to ${name}`);
  });
  return name;
}

async function exists(admin: Client, name: string): Promise<boolean> {
  return (await admin.query('select from pg_database where datname = $1', [name])).rowCount === 1;
}

/** The server keeps a closed connection for milliseconds. */
async function whenUnused(admin: Client, statement: string): Promise<void> {
  await eventually(() => admin.query(statement));
}

async function asAdmin<Result>(server: string, act: (admin: Client) => Promise<Result>): Promise<Result> {
  const admin = new Client({ connectionString: server });
  await admin.connect();
  try {
    return await act(admin);
  } finally {
    await admin.end();
  }
}
