import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase } from '../platform/database/create-database.ts';
import { readIfThere } from './files.ts';
import { choosePort, rememberedPorts, rememberPorts } from './ports.ts';
import { accountName, postgresAccount } from './postgres-account.ts';
import { postgresFolder } from './postgres-binaries.ts';
import { clusterFiles, makeCluster } from './postgres-cluster.ts';
import { superuser } from './postgres-initdb.ts';
import { commandLine, waitUntilGone, identify, stopProcess, type ProcessIdentity } from './processes.ts';
import { showingProgress } from './progress.ts';
import { runCommand, errorLine, type Account } from './run-command.ts';
import { StartFailure, touching } from './start-failure.ts';

export interface PostgresOptions {
  /** Holds all files; created when missing, with its parents. */
  readonly directory: string;
  /** Created when missing; the returned URL connects to it. */
  readonly database: string;
  /** Preferred port of the first start; later starts reuse the port when it is free. */
  readonly port?: number | undefined;
  /** False trades crash safety for speed, for tests. */
  readonly durable: boolean;
  readonly onProgress: (line: string) => void;
  /** Cancels the start; has no effect once the server process starts. */
  readonly signal?: AbortSignal | undefined;
}

/** A server that runs until it is stopped, even after this process ends. */
export interface RunningPostgres {
  readonly url: string;
  readonly pid: number;
  readonly process: ProcessIdentity;
  readonly log: string;
  /** Real path of the data. */
  readonly cluster: string;
  /** Description of the user that it runs as; undefined for the user of this process. */
  readonly runsAs: string | undefined;
  /** Closes connections, flushes data and waits for the end. */
  stop(): Promise<void>;
}

/**
 * Starts the packaged PostgreSQL on 127.0.0.1, without a Unix socket. Recovers from the leftovers of an earlier start.
 * Throws a StartFailure.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { directory, durable, onProgress } = options;
  return await touching(directory, async () => {
    const files = clusterFiles(directory);
    const account = await postgresAccount(files.cluster, onProgress);
    const binaries = await postgresFolder(account, onProgress);
    if ((await stat(files.cluster).catch(() => undefined)) === undefined) {
      onProgress('Creating the PostgreSQL data folder (initdb) …');
    }
    const cluster = await makeCluster({ folder: directory, binaries, account, durable, onProgress });
    const control = controlOf(binaries, cluster, account);
    options.signal?.throwIfAborted();
    await stopLeftover(cluster, control, onProgress);
    const port = await startOnSomePort(options, cluster, control);
    await rememberPorts(files.ports, { postgres: port });
    const server = await postmaster(cluster);
    if (!server) {
      throw new StartFailure(
        `PostgreSQL ended right after startup. Remove the cause that ${logOf(cluster)} names, and start again.`,
      );
    }
    const url = addressOf(port, (await readIfThere(files.password)) ?? '', options.database);
    try {
      await createDatabase(url, options.database);
    } catch (error) {
      await stopServer(server, control);
      throw error;
    }
    return {
      url,
      pid: server.pid,
      process: server,
      log: logOf(cluster),
      cluster,
      runsAs: account && (await accountName(account)),
      stop: () => stopServer(server, control),
    };
  });
}

type Control = (
  ...argumentList: readonly string[]
) => Promise<{ readonly ok: boolean; readonly output: string }>;

function controlOf(binaries: string, cluster: string, account: Account | undefined): Control {
  return async (...argumentList) =>
    await runCommand(join(binaries, 'bin', 'pg_ctl'), [`--pgdata=${cluster}`, ...argumentList], {
      account,
      environment: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    });
}

const logOf = (cluster: string) => join(cluster, 'server.log');

async function startOnSomePort(options: PostgresOptions, cluster: string, control: Control): Promise<number> {
  const remembered = (await rememberedPorts(clusterFiles(options.directory).ports))['postgres'];
  const wanted = options.port === undefined ? [] : [options.port];
  const until = Date.now() + 60_000;
  for (;;) {
    const port = await choosePort(remembered, wanted);
    await startNewLog(cluster);
    const started = await showingProgress(
      options.onProgress,
      // During crash recovery, PostgreSQL logs its progress.
      async () => `PostgreSQL is starting: ${await lastLineOf(logOf(cluster))}`,
      async () =>
        await control(
          'start',
          '-w',
          '-t',
          '300',
          `--log=${logOf(cluster)}`,
          '-o',
          serverOptions(port, options.durable),
        ),
    );
    if (started.ok) return port;
    const log = (await readIfThere(logOf(cluster))) ?? started.output;
    // The port was taken meanwhile, or backends of a killed server still hold its memory: both are transient.
    const transient =
      /Address already in use|pre-existing shared memory block|lock file ".*" already exists/.test(log);
    if (!transient || Date.now() >= until) {
      throw new StartFailure(
        `PostgreSQL did not start: ${errorLine(log)}. Remove the cause and start again. ` +
          `Its log: ${logOf(cluster)}.`,
      );
    }
    await pause(100);
  }
}

async function lastLineOf(log: string): Promise<string> {
  return (await readIfThere(log))?.trimEnd().split('\n').at(-1)?.slice(0, 200) || 'its log is empty';
}

/** Options of the server. Passed at each start instead of written to a file, so that new versions of Steward apply to old data. */
export function serverOptions(port: number, durable: boolean): string {
  const all = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    random_page_cost: '1.1',
    // A new table has statistics soon. Plans made without them read more of an index than they need.
    autovacuum_naptime: '10s',
    timezone: 'UTC',
    log_timezone: 'UTC',
    cluster_name: 'steward',
    ...(!durable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return Object.entries(all)
    .map(([name, value]) => `-c ${name}='${value}'`)
    .join(' ');
}

/** Each start gets its own log; the previous log is kept. */
async function startNewLog(cluster: string): Promise<void> {
  await rename(logOf(cluster), `${logOf(cluster)}.before`).catch(() => undefined);
}

/** The server of this cluster; a different program that reuses the lock file's process id does not count. */
async function postmaster(cluster: string): Promise<ProcessIdentity | undefined> {
  const pid = Number((await readIfThere(lockOf(cluster)))?.split('\n')[0]);
  const found = Number.isInteger(pid) && pid > 0 ? await identify(pid) : undefined;
  return found && (await commandLine(pid)).includes(cluster) ? found : undefined;
}

const lockOf = (cluster: string) => join(cluster, 'postmaster.pid');

async function stopLeftover(
  cluster: string,
  control: Control,
  onProgress: (line: string) => void,
): Promise<void> {
  const server = await postmaster(cluster);
  if (server) {
    onProgress('Stopping the PostgreSQL of an earlier start …');
    await stopServer(server, control);
    return;
  }
  // PostgreSQL ignores a lock file of a dead process, but not when another program reuses the process id, as after a
  // container restart.
  const pid = Number((await readIfThere(lockOf(cluster)))?.split('\n')[0]);
  if (pid > 0 && (await identify(pid))) await rm(lockOf(cluster), { force: true });
}

async function stopServer(server: ProcessIdentity, control: Control): Promise<void> {
  await control('stop', '-w', '-t', '20', '--mode=fast');
  if (await waitUntilGone(server, 200)) return;
  await control('stop', '-w', '-t', '5', '--mode=immediate');
  await stopProcess(server, 200, 'SIGQUIT');
}

/** Sets the TLS mode explicitly: the server has no TLS, and PGSSLMODE of a shell may require it. */
function addressOf(port: number, password: string, database: string): string {
  const credentials = `${superuser}:${encodeURIComponent(password.trim())}`;
  return `postgres://${credentials}@127.0.0.1:${port}/${encodeURIComponent(database)}?sslmode=disable`;
}
