import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { newEncryptionKey, newSecret } from '../platform/config/generate-environment.ts';
import { migrateDatabase } from '../platform/database/migrate.ts';
import { obtainTemporalServer } from '../local/obtain-temporal.ts';
import { choosePort } from '../local/ports.ts';
import { removeCluster } from '../local/postgres-cluster.ts';
import { startPostgres } from '../local/postgres.ts';
import { whenReady } from '../local/readiness.ts';
import { searchAttributes } from '../local/servers.ts';
import { startTemporal } from '../local/temporal.ts';
import { makeTenant, makeWorkspace, type BenchKey, type BenchTenant, type BenchWorkspace } from './tenant.ts';
import { startScript, type Program } from './process.ts';

/** An API process. */
export type RunningApi = Program & { readonly url: string };

/** The servers under measurement, started for this run. */
export interface Site {
  /** Folder for files of the programs; deleted with the site. */
  readonly folder: string;
  readonly databaseUrl: string;
  readonly sql: Pool;
  readonly api: RunningApi;
  readonly worker: Program;
  readonly floor: Program & { readonly url: string };
  readonly temporal: { readonly pid: number };
  /** Port of the mail server, which the notification benches start. Steward sends to it without a rate limit. */
  readonly mailPort: number;
  /** The owner of every key of the run. */
  readonly workspace: Pick<BenchWorkspace, 'workspaceId' | 'authToken'>;
  readonly operatorToken: string;
  readonly tenant: BenchTenant;
  /** Starts a further API process, which stops with the site. */
  startApi(environment: NodeJS.ProcessEnv, nodeOptions?: readonly string[]): Promise<RunningApi>;
  /** Creates a further key. */
  newKey(): Promise<BenchKey>;
  /** Kills API and worker with -9 and starts them again. */
  crash(): Promise<void>;
  /** Kills the worker with -9 and starts it again. */
  crashWorker(): Promise<void>;
  stop(): Promise<void>;
}

/** Path under which the floors' server is an AI provider. */
export const providerPath = '/v1';

export interface SiteOptions {
  readonly show: (line: string) => void;
  readonly signal: AbortSignal;
  /** Folder for the CPU profiles of API and worker. */
  readonly profile: string | undefined;
  /** Whether API and worker serve metrics, which are scraped every 5 s. */
  readonly metrics: boolean;
}

/** Starts PostgreSQL with default durability, a Temporal development server, the API, a worker and the floors as processes. */
export async function startSite(options: SiteOptions): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-bench-'));
  const cleanUps: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  };
  try {
    return { ...(await start(folder, cleanUps, options)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  folder: string,
  cleanUps: (() => Promise<unknown>)[],
  options: SiteOptions,
): Promise<Omit<Site, 'stop'>> {
  const { signal, profile, metrics } = options;
  const { databaseUrl, temporal } = await startServers(folder, cleanUps, options);
  const [port, floorPort, mailPort] = [
    await choosePort(undefined),
    await choosePort(undefined),
    await choosePort(undefined),
  ];
  const url = `http://127.0.0.1:${String(port)}`;
  const environment = {
    HOST: '127.0.0.1',
    STEWARD_SMTP_URL: `smtp://127.0.0.1:${String(mailPort)}`,
    STEWARD_MAIL_FROM: 'steward@mail.test',
    STEWARD_EMAIL_PER_KEY_PER_SECOND: '0',
    STEWARD_PUBLIC_URL: url,
    DATABASE_URL: databaseUrl,
    DATABASE_DIRECT_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporal.address,
    STEWARD_DATA_DIR: folder,
    STEWARD_OPERATOR_TOKEN: newSecret(),
    STEWARD_ENCRYPTION_KEYS: newEncryptionKey(),
    STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
    STEWARD_RATE_LIMIT: '0',
    LOG_LEVEL: 'info',
    LOG_FORMAT: 'json',
  };
  const program = async (
    name: string,
    script: string,
    others: NodeJS.ProcessEnv,
    nodeOptions: readonly string[] = [],
  ): Promise<Crashing> => {
    const begin = (): Promise<Program> =>
      startScript(script, { ...environment, ...others }, join(folder, `${name}.log`), nodeOptions);
    let running = await begin();
    cleanUps.push(() => running.stop());
    return {
      get pid() {
        return running.pid;
      },
      stop: () => running.stop(),
      async crash() {
        process.kill(running.pid, 'SIGKILL');
        await running.stop();
        running = await begin();
      },
    };
  };
  const sql = new Pool({
    connectionString: databaseUrl,
    max: 2,
    application_name: 'bench',
    options: ownSettings,
  });
  cleanUps.push(() => sql.end());
  const profiling = (name: string): string[] =>
    profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profile, name)}`];
  const metricsOf = async (): Promise<NodeJS.ProcessEnv> => {
    if (!metrics) return {};
    const metricsPort = await choosePort(undefined);
    cleanUps.push(scrapeRepeatedly(`http://127.0.0.1:${String(metricsPort)}/metrics`));
    return { METRICS_PORT: String(metricsPort) };
  };
  const apiEnvironment = { PORT: String(port), ...(await metricsOf()) };
  const api = Object.assign(await program('api', 'api/main.ts', apiEnvironment, profiling('api')), { url });
  const floorUrl = `http://127.0.0.1:${String(floorPort)}`;
  const provider = { OPENAI_BASE_URL: `${floorUrl}${providerPath}` };
  const workerEnvironment = { ...provider, ...(await metricsOf()) };
  const worker = await program('worker', 'worker/main.ts', workerEnvironment, profiling('worker'));
  await whenReady(url, signal);
  const operatorToken = environment.STEWARD_OPERATOR_TOKEN;
  const { newKey, ...workspace } = await makeWorkspace(url, operatorToken, sql);
  const tenant = await makeTenant(await newKey(), sql);
  const floorEnvironment = {
    PORT: String(floorPort),
    BENCH_DATABASE_URL: databaseUrl,
    BENCH_KEY: tenant.id,
    BENCH_ORGANIZATION: tenant.organization,
    BENCH_DOCUMENT: tenant.document,
    BENCH_USER: tenant.user,
  };
  const floor = Object.assign(await program('floor', 'bench/floors/server.ts', floorEnvironment), {
    url: floorUrl,
  });
  await whenListening(floor.url, signal);
  return {
    folder,
    databaseUrl,
    sql,
    api,
    worker,
    floor,
    temporal,
    mailPort,
    workspace,
    operatorToken,
    tenant,
    newKey,
    async startApi(others, nodeOptions) {
      const port = await choosePort(undefined);
      const variables = { ...others, PORT: String(port) };
      const running = await program('further-api', 'api/main.ts', variables, nodeOptions);
      const url = `http://127.0.0.1:${String(port)}`;
      await whenReady(url, signal);
      return { pid: running.pid, stop: () => running.stop(), url };
    },
    async crash() {
      await Promise.all([api.crash(), worker.crash()]);
      await whenReady(url, signal);
    },
    crashWorker: () => worker.crash(),
  };
}

/** Scrapes like Prometheus with a short interval until the returned function is called. Skips a process that does not respond. */
export function scrapeRepeatedly(url: string): () => Promise<void> {
  const read = (): Promise<unknown> =>
    fetch(url)
      .then((response) => response.text())
      .catch(() => undefined);
  const timer = setInterval(() => void read(), 5_000);
  return () => Promise.resolve(clearInterval(timer));
}

/** The bench fills and reads whole tables, so it overrides the settings of the role. */
const ownSettings =
  '-c statement_timeout=0 -c enable_seqscan=on -c enable_mergejoin=on -c plan_cache_mode=auto';

interface Crashing extends Program {
  crash(): Promise<void>;
}

async function startServers(
  folder: string,
  cleanUps: (() => Promise<unknown>)[],
  { show, signal }: SiteOptions,
): Promise<{ databaseUrl: string; temporal: { readonly address: string; readonly pid: number } }> {
  const directory = join(folder, 'postgres');
  cleanUps.push(() => removeCluster(directory));
  const postgres = await startPostgres({
    directory,
    database: 'bench',
    durable: true,
    onProgress: show,
    signal,
  });
  cleanUps.push(() => postgres.stop());
  await migrateDatabase(postgres.url);
  const source = await obtainTemporalServer(undefined, {
    spareCache: join(folder, 'programs'),
    onProgress: show,
    signal,
  });
  if (!('binary' in source)) throw new Error('The benchmark must start its own Temporal server.');
  const temporal = await startTemporal({
    binary: source.binary,
    directory: join(folder, 'temporal'),
    databaseFile: join(folder, 'temporal', 'temporal.db'),
    namespace: 'default',
    searchAttributes,
    ui: false,
    signal,
  });
  cleanUps.push(() => temporal.stop());
  return { databaseUrl: postgres.url, temporal };
}

/** Waits up to 20 s until a server responds. */
export async function whenListening(url: string, signal: AbortSignal): Promise<void> {
  const until = Date.now() + 20_000;
  for (;;) {
    try {
      await fetch(url, { method: 'POST', body: '{}', signal });
      return;
    } catch (error) {
      if (signal.aborted || Date.now() >= until) throw error;
      await pause(50);
    }
  }
}
