import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { choosePort } from '../../local/ports.ts';
import { eventually } from './eventually.ts';

const run = promisify(execFile);

/** A PgBouncer in transaction mode that runs until it is stopped. */
export interface PgBouncer {
  /** The address given, through the pooler. */
  urlOf(databaseUrl: string): string;
  stop(): Promise<void>;
}

/** A command with its first arguments. */
type Program = readonly [string, ...string[]];

/** Debian 13 has 1.24: names of statements need 1.21. With every library, so that it runs on an older Debian too. */
const release = 'trixie';
const packages = [
  'pgbouncer',
  'libc6',
  'libcares2',
  'libevent-2.1-7t64',
  'libpam0g',
  'libssl3t64',
  'libsystemd0',
  'libcap2',
  'libaudit1',
  'libcap-ng0',
  'libzstd1',
  'zlib1g',
] as const;

const linkers: Readonly<Record<string, readonly [linker: string, libraries: string]>> = {
  x64: ['usr/lib64/ld-linux-x86-64.so.2', 'usr/lib/x86_64-linux-gnu'],
  arm64: ['usr/lib/ld-linux-aarch64.so.1', 'usr/lib/aarch64-linux-gnu'],
};

/** Debian's PgBouncer, fetched once without root; a line that says why there is none. */
export async function obtainPgBouncer(): Promise<Program | string> {
  const [linker, libraries] = linkers[process.arch] ?? [];
  if (linker === undefined || libraries === undefined)
    return `PgBouncer: not obtained for the processor ${process.arch}.`;
  const folder = join(tmpdir(), `steward-pgbouncer-${release}`);
  try {
    if (!(await exists(folder))) await fetchPackages(folder);
    const program: Program = [
      join(folder, linker),
      '--library-path',
      join(folder, libraries),
      join(folder, 'usr/sbin/pgbouncer'),
    ];
    const [command, ...first] = program;
    await run(command, [...first, '--version']);
    return program;
  } catch (error) {
    const { message } = error as Error;
    return `PgBouncer: not obtained from Debian ${release}: ${message.split('\n')[0] ?? ''}`;
  }
}

const exists = async (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** With lists and a cache of its own, so that it changes nothing of the system. */
async function fetchPackages(folder: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'steward-apt-'));
  try {
    for (const name of ['state/lists/partial', 'cache/archives/partial', 'debs', 'root'])
      await mkdir(join(work, name), { recursive: true });
    await writeFile(join(work, 'status'), '');
    await writeFile(
      join(work, 'sources.list'),
      `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian ${release} main\n`,
    );
    await writeFile(
      join(work, 'apt.conf'),
      `Dir::State "${work}/state"; Dir::State::status "${work}/status"; Dir::Cache "${work}/cache";
       Dir::Etc::sourcelist "${work}/sources.list"; Dir::Etc::sourceparts "-"; APT::Sandbox::User "";\n`,
    );
    const options = {
      cwd: join(work, 'debs'),
      env: { ...process.env, APT_CONFIG: join(work, 'apt.conf') },
      timeout: 300_000,
    };
    await run('apt-get', ['update'], options);
    await run('apt-get', ['download', ...packages], options);
    const root = join(work, 'root');
    for (const deb of await readdir(options.cwd)) await run('dpkg', ['-x', deb, root], options);
    // Whole, or not there.
    await rename(root, folder).catch(async (error: unknown) => {
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Starts it before the server of `databaseUrl`. `maxPreparedStatements` of a connection: 0 follows no names. */
export async function startPgBouncer(
  [command, ...first]: Program,
  databaseUrl: string,
  maxPreparedStatements: number,
): Promise<PgBouncer> {
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const port = await choosePort(undefined);
  const folder = await mkdtemp(join(tmpdir(), 'steward-pgbouncer-'));
  const settings = join(folder, 'pgbouncer.ini');
  const login = `user=${username} password='${decodeURIComponent(password)}'`;
  await writeFile(
    settings,
    `[databases]
* = host=${hostname} port=${serverPort} ${login}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${String(port)}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 200
default_pool_size = 8
max_prepared_statements = ${String(maxPreparedStatements)}
`,
  );
  // It refuses to run as root, and then reads its settings as another.
  const root = process.getuid?.() === 0;
  await chmod(folder, 0o755);
  const child = spawn(command, [...first, ...(root ? ['--user=nobody'] : []), settings], { stdio: 'ignore' });
  const exit = once(child, 'exit');
  await eventually(async () => reach(port));
  return {
    urlOf(url) {
      const through = new URL(url);
      through.hostname = '127.0.0.1';
      through.port = String(port);
      return through.href;
    },
    async stop() {
      child.kill('SIGKILL');
      await exit;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function reach(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}
