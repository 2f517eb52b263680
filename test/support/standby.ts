import { appendFile, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type QueryResult } from 'pg';
import { clusterFiles, removeCluster } from '../../local/postgres-cluster.ts';
import { startPostgres, type PostgresOptions, type RunningPostgres } from '../../local/postgres.ts';
import { runCommand } from '../../local/run-command.ts';
import { aDatabase, type TestDatabase } from './database.ts';
import { eventually } from './eventually.ts';

/** A primary server with a migrated database, and its streaming standby. */
export interface PrimaryAndStandby {
  /** The database on the primary server. */
  readonly database: TestDatabase;
  /** Superuser, database `postgres`. */
  readonly standbyUrl: string;
  /** Ends the primary server and its sessions with SIGKILL. */
  killPrimary(): void;
  /** Resolves when the standby accepts writes. */
  promote(): Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts both servers. A commit on the primary one waits for the standby. */
export async function aPrimaryAndStandby(): Promise<PrimaryAndStandby> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-standby-'));
  const start = async (name: string): Promise<RunningPostgres> =>
    startPostgres(optionsOf(join(folder, name)));
  const first = await start('primary');
  const database = await aDatabase(first.url);
  await first.stop();
  await makeStandby(join(folder, 'primary'), join(folder, 'standby'));
  const primary = await start('primary');
  await followPrimary(join(folder, 'standby'), primary.url);
  const standby = await start('standby');
  await whenReplicated(database.url);
  return {
    database,
    standbyUrl: standby.url,
    killPrimary: () => process.kill(primary.pid, 'SIGKILL'),
    promote: async () => promote(standby.url),
    async close() {
      for (const server of [primary, standby]) await server.stop().catch(() => undefined);
      for (const name of ['primary', 'standby']) await removeCluster(join(folder, name));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Copies the files of the stopped primary server, which from its next start waits for the standby. */
export async function makeStandby(primaryFolder: string, standbyFolder: string): Promise<void> {
  const primary = await realpath(clusterFiles(primaryFolder).cluster);
  await (await startPostgres(optionsOf(standbyFolder))).stop();
  const standby = await realpath(clusterFiles(standbyFolder).cluster);
  await writeFile(
    clusterFiles(standbyFolder).password,
    await readFile(clusterFiles(primaryFolder).password),
    { mode: 0o600 },
  );
  const copied = await runCommand('sh', [
    '-euc',
    'rm -rf "$2"/*; cp -a "$1"/. "$2"; cp -a "$2/PG_VERSION" "$2/standby.signal"',
    'sh',
    primary,
    standby,
  ]);
  if (!copied.ok) throw new Error(`The standby's files were not copied: ${copied.output}`);
  // After the copy: once promoted, the standby waits for no other server.
  await appendFile(
    join(primary, 'postgresql.auto.conf'),
    "synchronous_standby_names = '*'\nwal_keep_size = '512MB'\n",
  );
}

/** Makes the standby follow the primary server at this URL, from its next start. */
export async function followPrimary(standbyFolder: string, primaryUrl: string): Promise<void> {
  await appendFile(
    join(await realpath(clusterFiles(standbyFolder).cluster), 'postgresql.auto.conf'),
    `primary_conninfo = '${connectionOf(primaryUrl)}'\n`,
  );
}

/** Resolves when a standby follows the server and its commits wait for it. */
export async function whenReplicated(primaryUrl: string): Promise<void> {
  await eventually(async () => {
    const { rows } = await queried(primaryUrl, 'select sync_state as state from pg_stat_replication');
    return rows[0]?.['state'] === 'sync';
  });
}

/** Resolves when the standby accepts writes. */
export async function promote(standbyUrl: string): Promise<void> {
  await queried(standbyUrl, 'select pg_promote(true)');
}

async function queried(url: string, sql: string): Promise<QueryResult<Record<string, unknown>>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

const optionsOf = (directory: string): PostgresOptions => ({
  directory,
  database: 'postgres',
  durable: true,
  onProgress: () => undefined,
});

function connectionOf(url: string): string {
  const { hostname, port, username, password } = new URL(url);
  return `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`;
}
