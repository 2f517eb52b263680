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
import { commandLine, gone, identify, stopProcess, type ProcessIdentity } from './processes.ts';
import { showingProgress } from './progress.ts';
import { runCommand, tellingLine, type Account } from './run-command.ts';
import { StartFailure, touching } from './start-failure.ts';

export interface PostgresOptions {
  /** Everything is kept here; made when missing, with its parents. */
  readonly directory: string;
  /** Made when missing; the address returned leads to it. */
  readonly database: string;
  /** Wished for at the first start; later ones keep the port where they can. */
  readonly port?: number | undefined;
  /** False gives up crash safety for speed: for tests, whose data nobody misses. */
  readonly durable: boolean;
  readonly onProgress: (line: string) => void;
  /** Calls the start off; has no effect once the server itself is being started, which is soon done. */
  readonly signal?: AbortSignal | undefined;
}

/** A server that runs until it is stopped, whether or not this process lives. */
export interface RunningPostgres {
  readonly url: string;
  readonly pid: number;
  readonly process: ProcessIdentity;
  readonly log: string;
  /** Real path of its data. */
  readonly cluster: string;
  /** The user that it runs as, in words; undefined where it is the user of this process. */
  readonly runsAs: string | undefined;
  /** Ends connections, writes everything and returns when it is gone. */
  stop(): Promise<void>;
}

/**
 * Starts the PostgreSQL that comes with the packages, on 127.0.0.1 and without a socket in the file system.
 * Recovers by itself from whatever an earlier start left behind. Throws a StartFailure.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { directory, durable, onProgress } = options;
  return await touching(directory, async () => {
    const files = clusterFiles(directory);
    const account = await postgresAccount(files.cluster, onProgress);
    const binaries = await postgresFolder(account, onProgress);
    if ((await stat(files.cluster).catch(() => undefined)) === undefined) {
      onProgress('Making the PostgreSQL data folder (initdb) …');
    }
    const cluster = await makeCluster({ folder: directory, binaries, account, durable, onProgress });
    const control = controlOf(binaries, cluster, account);
    options.signal?.throwIfAborted();
    await stopLeftover(cluster, control, onProgress);
    const port = await startOnSomePort(options, cluster, control);
    await rememberPorts(files.ports, { postgres: port });
    const server = await postmaster(cluster);
    if (!server) throw new StartFailure(`PostgreSQL ended right after its start: see ${logOf(cluster)}.`);
    const url = addressOf(port, (await readIfThere(files.password)) ?? '', options.database);
    await createDatabase(url, options.database);
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
      // After a crash it reads back its log, and says there how far it is.
      async () => `PostgreSQL is starting: ${await lastLineOf(logOf(cluster))}`,
      async () =>
        await control(
          'start',
          '-w',
          '-t',
          '300',
          `--log=${logOf(cluster)}`,
          '-o',
          settings(port, options.durable),
        ),
    );
    if (started.ok) return port;
    const log = (await readIfThere(logOf(cluster))) ?? started.output;
    // Someone took the port meanwhile, or the back ends of a killed server still hold its memory: both pass.
    const passing =
      /Address already in use|pre-existing shared memory block|lock file ".*" already exists/.test(log);
    if (!passing || Date.now() >= until) {
      throw new StartFailure(`PostgreSQL did not start: ${tellingLine(log)} (its log: ${logOf(cluster)}).`);
    }
    await pause(100);
  }
}

async function lastLineOf(log: string): Promise<string> {
  return (await readIfThere(log))?.trimEnd().split('\n').at(-1)?.slice(0, 200) || 'its log is empty';
}

/** Passed at each start rather than kept in a file, so that a new version of Steward changes them for old data too. */
function settings(port: number, durable: boolean): string {
  const all = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    random_page_cost: '1.1',
    timezone: 'UTC',
    log_timezone: 'UTC',
    cluster_name: 'steward',
    ...(!durable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return Object.entries(all)
    .map(([name, value]) => `-c ${name}='${value}'`)
    .join(' ');
}

/** The log of one start says why that start failed; the one before is kept. */
async function startNewLog(cluster: string): Promise<void> {
  await rename(logOf(cluster), `${logOf(cluster)}.before`).catch(() => undefined);
}

/** The server that runs on this cluster, told from any other program that was given the process id of its lock file. */
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
    onProgress('The PostgreSQL of an earlier start still runs: stopping it …');
    await stopServer(server, control);
    return;
  }
  // PostgreSQL itself sees through a lock file whose process is dead, but not through one whose process id now belongs to
  // another program, as after the restart of a container.
  const pid = Number((await readIfThere(lockOf(cluster)))?.split('\n')[0]);
  if (pid > 0 && (await identify(pid))) await rm(lockOf(cluster), { force: true });
}

async function stopServer(server: ProcessIdentity, control: Control): Promise<void> {
  await control('stop', '-w', '-t', '20', '--mode=fast');
  if (await gone(server, 200)) return;
  await control('stop', '-w', '-t', '5', '--mode=immediate');
  await stopProcess(server, 200, 'SIGQUIT');
}

function addressOf(port: number, password: string, database: string): string {
  return `postgres://${superuser}:${encodeURIComponent(password.trim())}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}
