import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDemoWorkspace } from '../cli/demo-workspace.ts';
import { newEncryptionKey, newSecret } from '../platform/config/generate-environment.ts';
import { encryptionKeys } from '../platform/config/parsers/encryption-keys.ts';
import { variables } from '../platform/config/variables.ts';
import { migrateDatabase } from '../platform/database/migrate.ts';
import { choosePort } from '../local/ports.ts';
import { removeCluster } from '../local/postgres-cluster.ts';
import { startPostgres } from '../local/postgres.ts';
import { identify, stopProcess } from '../local/processes.ts';
import { whenReady } from '../local/readiness.ts';
import { makeWorld, type World } from './world.ts';

/** A temporary Steward. */
export interface Site {
  readonly url: string;
  readonly world: World;
  /** Path of the API's log. */
  readonly log: string;
  /** Stops all servers and deletes everything but the log. */
  stop(): Promise<void>;
}

export interface SiteOptions {
  /** Holds the log and the reports. */
  readonly folder: string;
  readonly show: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Starts PostgreSQL without durability, the API as a process, and a demo workspace. Temporal is unavailable on
 * purpose: no operation may fail because of that.
 */
export async function startSite(options: SiteOptions): Promise<Site> {
  const directory = await mkdtemp(join(tmpdir(), 'steward-fuzz-'));
  const cleanUps: (() => Promise<unknown>)[] = [() => rm(directory, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  };
  try {
    return { ...(await start(directory, cleanUps, options)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  directory: string,
  cleanUps: (() => Promise<unknown>)[],
  { folder, show, signal }: SiteOptions,
): Promise<Omit<Site, 'stop'>> {
  const cluster = join(directory, 'postgres');
  cleanUps.push(() => removeCluster(cluster));
  const postgres = await startPostgres({
    directory: cluster,
    database: 'fuzz',
    durable: false,
    onProgress: show,
    signal,
  });
  cleanUps.push(() => postgres.stop());
  await migrateDatabase(postgres.url);
  const encryptionKey = newEncryptionKey();
  const operatorToken = newSecret();
  const demo = await ensureDemoWorkspace({
    databaseUrl: postgres.url,
    encryptionKeys: encryptionKeys.parse(encryptionKey) ?? [],
    previous: undefined,
  });
  const port = await choosePort(undefined);
  const log = join(folder, 'api.log');
  const environment = {
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    STEWARD_DATA_DIR: directory,
    STEWARD_OPERATOR_TOKEN: operatorToken,
    STEWARD_ENCRYPTION_KEYS: encryptionKey,
    STEWARD_RATE_LIMIT: '0',
    STEWARD_FAILED_CREDENTIALS_LIMIT: '0',
    LOG_LEVEL: 'info',
    LOG_FORMAT: 'json',
  };
  cleanUps.push(await startApi(environment, log));
  const url = `http://127.0.0.1:${String(port)}`;
  await whenReady(url, signal);
  return { url, world: await makeWorld({ url, operatorToken, ...demo }), log };
}

/** Runs the API with its log in a file. Returns a function that stops it. */
async function startApi(environment: NodeJS.ProcessEnv, log: string): Promise<() => Promise<unknown>> {
  const inherited = Object.entries(process.env).filter(([name]) => !Object.hasOwn(variables, name));
  const output = openSync(log, 'w', 0o600);
  const child = spawn(process.execPath, ['api/main.ts'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...Object.fromEntries(inherited), ...environment },
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);
  const known = child.pid === undefined ? undefined : await identify(child.pid);
  if (known === undefined) throw new Error(`The API did not start: see ${log}.`);
  return () => stopProcess(known, 20_000);
}
