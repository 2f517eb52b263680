import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunningComponent } from '../../local/keep-running.ts';
import { obtainTemporalServer } from '../../local/obtain-temporal.ts';
import { choosePort } from '../../local/ports.ts';
import { removeCluster } from '../../local/postgres-cluster.ts';
import { startPostgres, type RunningPostgres } from '../../local/postgres.ts';
import { startProgram } from '../../local/program.ts';
import { whenReady } from '../../local/readiness.ts';
import { StartFailure } from '../../local/start-failure.ts';
import { startTemporal } from '../../local/temporal.ts';
import { generateEnvironment } from '../../platform/config/generate-environment.ts';
import { variables } from '../../platform/config/variables.ts';
import { createDatabase, createRole } from '../../platform/database/create-database.ts';
import { readComposeFile, type ComposeFile } from './compose-file.ts';
import { startTemporalCluster } from './temporal-cluster.ts';

export type Stop = () => Promise<void>;

export interface ClusterOptions {
  /** Holds all files; the caller removes it. */
  readonly folder: string;
  /** Receives the stop function of each component, even when a later one does not start. Call them in reverse order. */
  readonly stops: Stop[];
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
  /** Holds the data of PostgreSQL. Default: a folder of `folder`. */
  readonly postgresFolder?: string;
  /** Further variables of the APIs and workers. They replace those of docker-compose.yml. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Receives the output of the APIs and workers; by default that of this process does. */
  readonly output?: NodeJS.WritableStream;
  /** Returns the local port at which APIs and workers reach a server, such as that of a proxy. Default: its own. */
  readonly route?: (server: 'postgres' | 'temporal', port: number) => Promise<number>;
}

export interface RunningCluster {
  /** Of each API. */
  readonly baseUrls: readonly string[];
  /** Of the pages for health and metrics of each worker. */
  readonly workerUrls: readonly string[];
  /** Of the metrics of each program, by its name. */
  readonly metricsUrls: Readonly<Record<string, string>>;
  /** What runs as Temporal, for reports. */
  readonly temporalServer: string;
  readonly operatorToken: string;
  /** Superuser, database `steward`, without the route. */
  readonly databaseUrl: string;
  /** The two APIs and two workers, by names such as `api-1`. */
  readonly programs: ReadonlyMap<string, RunningComponent>;
  readonly temporalPid: number;
  /** The running server. */
  readonly postgres: () => RunningPostgres;
  /** Starts PostgreSQL again on its port, after it has ended. */
  readonly restartPostgres: () => Promise<void>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Starts the services of docker-compose.yml without containers, with two APIs and two workers. Throws a StartFailure. */
export async function startCluster(options: ClusterOptions): Promise<RunningCluster> {
  const { folder, signal, environment, route = async (_, port) => port } = options;
  const secrets = parseEnvironment(generateEnvironment());
  await mkdir(join(folder, 'deletion-journal'));
  const compose = await readComposeFile(secrets, join(folder, 'secrets'));
  const postgres = await startDatabases(options, secrets);
  const postgresPort = Number(new URL(postgres.url).port);
  const temporal = await startTemporalService(options, compose, postgresPort);
  const ports = {
    postgres: await route('postgres', postgresPort),
    temporal: await route('temporal', Number(temporal.address.split(':').at(-1))),
  };
  const environmentOf = (service: string) => ({
    ...nativeEnvironment(compose, service, folder, ports),
    ...environment,
  });
  await migrate(compose, environmentOf('migrate'));
  const programs = new Map<string, RunningComponent>();
  const baseUrls: string[] = [];
  const workerUrls: string[] = [];
  const metricsUrls: Record<string, string> = {};
  for (const name of ['api-1', 'api-2', 'worker-1', 'worker-2']) {
    const [service = ''] = name.split('-');
    const [port, metricsPort] = [await choosePort(undefined), await choosePort(undefined)];
    const own = { PORT: String(port), METRICS_PORT: String(metricsPort) };
    programs.set(name, await startInstance(options, name, { ...environmentOf(service), ...own }));
    metricsUrls[name] = `http://127.0.0.1:${metricsPort}/metrics`;
    if (service === 'api') baseUrls.push(`http://127.0.0.1:${port}`);
    else workerUrls.push(`http://127.0.0.1:${metricsPort}`);
  }
  for (const baseUrl of baseUrls) await whenReady(baseUrl, signal);
  return {
    baseUrls,
    workerUrls,
    metricsUrls,
    temporalServer: temporal.server,
    operatorToken: secrets['STEWARD_OPERATOR_TOKEN'] ?? '',
    databaseUrl: Object.assign(new URL(postgres.url), { pathname: '/steward' }).href,
    programs,
    temporalPid: temporal.pid,
    postgres: postgres.server,
    restartPostgres: postgres.restart,
  };
}

interface Databases {
  readonly url: string;
  readonly server: () => RunningPostgres;
  readonly restart: () => Promise<void>;
}

/** The services `postgres` and `databases`. */
async function startDatabases(
  { folder, stops, onProgress, signal, postgresFolder = join(folder, 'postgres') }: ClusterOptions,
  secrets: Readonly<Record<string, string>>,
): Promise<Databases> {
  stops.push(async () => await removeCluster(postgresFolder));
  const start = async (): Promise<RunningPostgres> =>
    await startPostgres({
      directory: postgresFolder,
      database: 'postgres',
      durable: true,
      onProgress,
      signal,
    });
  let server = await start();
  stops.push(async () => await server.stop());
  for (const role of ['steward', 'temporal'])
    await createRole(server.url, role, secrets[`${role.toUpperCase()}_DATABASE_PASSWORD`] ?? '');
  for (const [database, owner] of [
    ['steward', 'steward'],
    ['temporal', 'temporal'],
    ['temporal_visibility', 'temporal'],
  ] as const)
    await createDatabase(server.url, database, owner);
  return {
    url: server.url,
    server: () => server,
    async restart() {
      server = await start();
    },
  };
}

/** The services `temporal-schema`, `temporal` and `temporal-namespace` if their programs are set, otherwise a development server. */
async function startTemporalService(
  { folder, stops, onProgress, signal }: ClusterOptions,
  compose: ComposeFile,
  postgresPort: number,
): Promise<{ readonly address: string; readonly pid: number; readonly server: string }> {
  const source = await obtainTemporalServer(undefined, {
    spareCache: join(folder, 'programs'),
    onProgress,
    signal,
  });
  if (!('binary' in source)) throw new StartFailure('The cluster must start its own Temporal server.');
  const { STEWARD_TEMPORAL_SERVER_BINARY: server, STEWARD_TEMPORAL_SQL_BINARY: sql } = process.env;
  const namespace = compose.service('api').environment['TEMPORAL_NAMESPACE'] ?? 'default';
  if (server !== undefined && sql !== undefined) {
    onProgress(`Temporal: ${server} on PostgreSQL.`);
    const binaries = { server, sql, cli: source.binary };
    const cluster = await startTemporalCluster({ compose, folder, binaries, postgresPort, namespace });
    stops.push(async () => await cluster.stop());
    return { address: cluster.address, pid: cluster.pid, server: 'a Temporal server on PostgreSQL' };
  }
  onProgress(
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
    signal,
  });
  stops.push(async () => await temporal.stop());
  return { address: temporal.address, pid: temporal.pid, server: "Temporal's development server" };
}

/** The environment of the service's container, with local addresses instead of the names of other services. */
function nativeEnvironment(
  compose: ComposeFile,
  service: string,
  folder: string,
  ports: Readonly<Record<'postgres' | 'temporal', number>>,
): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !Object.hasOwn(variables, name));
  const named = Object.entries(compose.service(service).environment).map(([name, value]) => [
    name,
    value
      .replace('steward@postgres:5432', `steward@127.0.0.1:${ports.postgres}`)
      .replace('temporal:7233', `127.0.0.1:${ports.temporal}`),
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

/** Starts `api-1`, `worker-2` and so on. */
async function startInstance(
  { folder, stops, output }: ClusterOptions,
  name: string,
  environment: NodeJS.ProcessEnv,
): Promise<RunningComponent> {
  const [service = ''] = name.split('-');
  const program = await startProgram({
    script: `${service}/main.ts`,
    environment,
    pidFile: join(folder, `${name}.pid`),
    graceMs: 75_000,
    output,
  });
  stops.push(async () => await program.stop());
  return program;
}

function parseEnvironment(text: string): Record<string, string> {
  const assignments = text.split('\n').filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(
    assignments.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
