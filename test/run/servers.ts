import { join } from 'node:path';
import { Client } from 'pg';
import { obtainTemporalServer, obtainTimeSkippingServer } from '../../local/obtain-temporal.ts';
import { removeCluster } from '../../local/postgres-cluster.ts';
import { startPostgres } from '../../local/postgres.ts';
import { searchAttributes } from '../../local/servers.ts';
import { StartFailure } from '../../local/start-failure.ts';
import { startTemporal } from '../../local/temporal.ts';
import { obtainPgBouncer, startPgBouncer, type PgBouncer } from '../support/pgbouncer.ts';
import { poolerKind } from '../support/pooler.ts';
import { startPostgres15, type TestPostgres } from './postgres-15.ts';

/** The addresses of the servers of a test run. */
export interface TestServers {
  readonly environment: {
    /** Superuser, database `postgres`. */
    readonly TEST_DATABASE_URL: string;
    /** The same through PgBouncer when TEST_POOLER is set. */
    readonly TEST_POOLER_URL?: string;
    readonly TEST_TEMPORAL_ADDRESS: string;
    readonly TEST_TEMPORAL_BINARY: string;
    readonly TEST_TIME_SKIPPING_SERVER: string;
  };
  stop(): Promise<void>;
}

/** Starts the servers of a test run without durability. Stops all of them when one does not start. */
export async function startServers(
  folder: string,
  signal: AbortSignal,
  onProgress: (line: string) => void,
): Promise<TestServers> {
  const obtaining = { spareCache: join(folder, 'cache'), signal, onProgress };
  const development = await obtainTemporalServer(undefined, obtaining);
  if (!('binary' in development)) throw new StartFailure('The tests need a Temporal server of their own.');
  const timeSkipping = await obtainTimeSkippingServer(obtaining);
  onProgress(`Temporal: ${development.from}; time-skipping server: ${timeSkipping.from}`);
  const postgres = await startTestPostgres(folder, signal, onProgress);
  let pooler: PgBouncer | undefined;
  const stopPostgres = async () => {
    await pooler?.stop();
    await postgres.stop();
  };
  try {
    await cloneTemplates(postgres.url);
    if (process.env['STEWARD_LONG_TESTS'] !== 'on') await endAutovacuum(postgres.url);
    pooler = await startPooler(postgres.url);
    const temporal = await startTemporal({
      binary: development.binary,
      directory: join(folder, 'temporal'),
      databaseFile: undefined,
      namespace: 'default',
      searchAttributes,
      ui: false,
      shortTimers: true,
      signal,
    });
    return {
      environment: {
        TEST_DATABASE_URL: postgres.url,
        ...(pooler && { TEST_POOLER_URL: pooler.urlOf(postgres.url) }),
        TEST_TEMPORAL_ADDRESS: temporal.address,
        TEST_TEMPORAL_BINARY: development.binary,
        TEST_TIME_SKIPPING_SERVER: timeSkipping.binary,
      },
      async stop() {
        await Promise.all([temporal.stop(), stopPostgres()]);
      },
    };
  } catch (error) {
    await stopPostgres();
    throw error;
  }
}

async function startPooler(databaseUrl: string): Promise<PgBouncer | undefined> {
  if (poolerKind === undefined) return undefined;
  const program = await obtainPgBouncer(poolerKind);
  if (typeof program === 'string') throw new StartFailure(program);
  return await startPgBouncer(program, databaseUrl, { kind: poolerKind });
}

/** Starts the embedded PostgreSQL, or version 15 when TEST_POSTGRES is 15. */
async function startTestPostgres(
  folder: string,
  signal: AbortSignal,
  onProgress: (line: string) => void,
): Promise<TestPostgres> {
  const version = process.env['TEST_POSTGRES'];
  if (version === '15') return startPostgres15(onProgress);
  if (version !== undefined) throw new StartFailure('TEST_POSTGRES: not 15.');
  const directory = join(folder, 'postgres');
  const server = await startPostgres({
    directory,
    database: 'postgres',
    durable: false,
    onProgress,
    signal,
  });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await removeCluster(directory);
    },
  };
}

/** Makes `create database` clone the files of a template, if version and file system support it. */
async function cloneTemplates(url: string): Promise<void> {
  const clones = `select from pg_settings where name = 'file_copy_method' and 'clone' = any (enumvals)`;
  await asSuperuser(url, async (client) => {
    if ((await client.query(clones)).rowCount === 1) await alterSystem(client, 'file_copy_method = clone');
  });
}

/** Tests check that plans use indexes: plans of small tables must not depend on the time of the last statistics. */
async function endAutovacuum(url: string): Promise<void> {
  await asSuperuser(url, (client) => alterSystem(client, 'autovacuum = off'));
}

async function alterSystem(client: Client, setting: string): Promise<void> {
  await client.query(`alter system set ${setting}`);
  await client.query('select pg_reload_conf()');
}

async function asSuperuser(url: string, act: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await act(client);
  } finally {
    await client.end();
  }
}
