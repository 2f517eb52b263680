import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateEnvironment } from '../platform/config/generate-environment.ts';
import { variables } from '../platform/config/variables.ts';
import { createDatabase, createRole } from '../platform/database/create-database.ts';
import { obtainTemporalServer } from '../local/obtain-temporal.ts';
import { choosePort } from '../local/ports.ts';
import { removeCluster } from '../local/postgres-cluster.ts';
import { startPostgres } from '../local/postgres.ts';
import { startProgram } from '../local/program.ts';
import { whenReady } from '../local/readiness.ts';
import { messageOf, StartFailure } from '../local/start-failure.ts';
import { startTemporal } from '../local/temporal.ts';
import { readComposeFile } from './cluster/compose-file.ts';
import type { ComposeFile } from './cluster/compose-file.ts';
import { proveCluster } from './cluster/proof.ts';
import { startTemporalCluster } from './cluster/temporal-cluster.ts';

/**
 * `npm run cluster`: the services of docker-compose.yml without containers, with two APIs and two workers, on temporary
 * data. With `--check`, it ends after one document migration has passed through all of them.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'steward-cluster-'));
const stopRequest = new AbortController();
const show = (line: string) => console.error(line);
/** Run in reverse order. */
const stops: (() => Promise<void>)[] = [];

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => stopRequest.abort(new Error('The cluster is stopping.')));
}
process.exit(await main());

async function main(): Promise<number> {
  try {
    await start();
    return 0;
  } catch (error) {
    if (stopRequest.signal.aborted) return 0;
    show(error instanceof StartFailure ? error.message : `The cluster failed: ${messageOf(error)}`);
    return 1;
  } finally {
    for (const stop of stops.toReversed()) await stop().catch((error: unknown) => show(messageOf(error)));
    await rm(folder, { recursive: true, force: true });
  }
}

async function start(): Promise<void> {
  const secrets = parseEnvironment(generateEnvironment());
  await mkdir(join(folder, 'deletion-journal'));
  const compose = await readComposeFile(secrets, join(folder, 'secrets'));
  const postgresPort = await startDatabases(secrets);
  const temporalAddress = await startTemporalService(compose, postgresPort);
  const environmentOf = (service: string) =>
    nativeEnvironment(compose, service, postgresPort, temporalAddress);
  await migrate(compose, environmentOf('migrate'));
  const baseUrls = [await startApi(environmentOf('api'), 1), await startApi(environmentOf('api'), 2)];
  for (const number of [1, 2]) await startInstance('worker', environmentOf('worker'), number);
  for (const baseUrl of baseUrls) await whenReady(baseUrl, stopRequest.signal);
  const began = Date.now();
  await proveCluster(baseUrls, secrets['STEWARD_OPERATOR_TOKEN'] ?? '');
  show(`Both APIs completed a document migration in ${Date.now() - began} ms.`);
  if (process.argv.includes('--check')) return;
  show(
    `APIs: ${baseUrls.join(' and ')}. Operator token: ${secrets['STEWARD_OPERATOR_TOKEN']}. Ctrl-C stops everything.`,
  );
  await new Promise((resolve) => stopRequest.signal.addEventListener('abort', resolve));
}

/** The services `postgres` and `databases`. */
async function startDatabases(secrets: Readonly<Record<string, string>>): Promise<number> {
  const directory = join(folder, 'postgres');
  stops.push(async () => await removeCluster(directory));
  const server = await startPostgres({
    directory,
    database: 'postgres',
    durable: true,
    onProgress: show,
    signal: stopRequest.signal,
  });
  stops.push(async () => await server.stop());
  for (const role of ['steward', 'temporal'])
    await createRole(server.url, role, secrets[`${role.toUpperCase()}_DATABASE_PASSWORD`] ?? '');
  for (const [database, owner] of [
    ['steward', 'steward'],
    ['temporal', 'temporal'],
    ['temporal_visibility', 'temporal'],
  ] as const)
    await createDatabase(server.url, database, owner);
  return Number(new URL(server.url).port);
}

/** The services `temporal-schema`, `temporal` and `temporal-namespace` if their programs are set, otherwise a development server. */
async function startTemporalService(compose: ComposeFile, postgresPort: number): Promise<string> {
  const source = await obtainTemporalServer(undefined, {
    spareCache: join(folder, 'programs'),
    onProgress: show,
    signal: stopRequest.signal,
  });
  if (!('binary' in source)) throw new StartFailure('The cluster must start its own Temporal server.');
  const { STEWARD_TEMPORAL_SERVER_BINARY: server, STEWARD_TEMPORAL_SQL_BINARY: sql } = process.env;
  const namespace = compose.service('api').environment['TEMPORAL_NAMESPACE'] ?? 'default';
  if (server !== undefined && sql !== undefined) {
    show(`Temporal: ${server} on PostgreSQL.`);
    const binaries = { server, sql, cli: source.binary };
    const cluster = await startTemporalCluster({ compose, folder, binaries, postgresPort, namespace });
    stops.push(async () => await cluster.stop());
    return cluster.address;
  }
  show(
    'Temporal: a development server, because STEWARD_TEMPORAL_SERVER_BINARY and STEWARD_TEMPORAL_SQL_BINARY are not set.',
  );
  const temporal = await startTemporal({
    binary: source.binary,
    directory: join(folder, 'temporal'),
    databaseFile: undefined,
    namespace,
    // The workers register them, as on any cluster.
    searchAttributes: {},
    ui: false,
    signal: stopRequest.signal,
  });
  stops.push(async () => await temporal.stop());
  return temporal.address;
}

/** The environment of the service's container, with local addresses instead of the names of other services. */
function nativeEnvironment(
  compose: ComposeFile,
  service: string,
  postgresPort: number,
  temporalAddress: string,
): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !Object.hasOwn(variables, name));
  const named = Object.entries(compose.service(service).environment).map(([name, value]) => [
    name,
    value
      .replace('steward@postgres:5432', `steward@127.0.0.1:${postgresPort}`)
      .replace('temporal:7233', temporalAddress),
  ]);
  const image = {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    LOG_FORMAT: 'json',
    LOG_LEVEL: 'warn',
    STEWARD_DATA_DIR: folder,
  };
  const journal = { STEWARD_DELETION_JOURNAL: join(folder, 'deletion-journal') };
  return { ...Object.fromEntries(own), ...image, ...Object.fromEntries(named), ...journal };
}

async function migrate(compose: ComposeFile, environment: NodeJS.ProcessEnv): Promise<void> {
  const [, ...command] = compose.service('migrate').command;
  const child = spawn(process.execPath, command, { cwd: root, env: environment, stdio: ['ignore', 2, 2] });
  const status = await new Promise((resolve) => child.once('exit', resolve));
  if (status !== 0) throw new StartFailure('The job migrate failed: see the error above.');
}

async function startApi(environment: NodeJS.ProcessEnv, number: number): Promise<string> {
  const port = await choosePort(undefined);
  await startInstance('api', { ...environment, PORT: String(port) }, number);
  return `http://127.0.0.1:${port}`;
}

async function startInstance(
  name: 'api' | 'worker',
  environment: NodeJS.ProcessEnv,
  number: number,
): Promise<void> {
  const program = await startProgram({
    script: `${name}/main.ts`,
    environment: { ...environment, METRICS_PORT: String(await choosePort(undefined)) },
    pidFile: join(folder, `${name}-${number}.pid`),
    graceMs: 45_000,
  });
  stops.push(async () => await program.stop());
}

function parseEnvironment(text: string): Record<string, string> {
  const assignments = text.split('\n').filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(
    assignments.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
