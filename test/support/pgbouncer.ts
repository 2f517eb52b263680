import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choosePort } from '../../local/ports.ts';
import { obtainDebianProgram, type DebianProgram, type Program } from './debian-programs.ts';
import { eventually } from './eventually.ts';

/** A PgBouncer in transaction mode that runs until it is stopped. */
export interface PgBouncer {
  /** The address given, through the pooler. */
  urlOf(databaseUrl: string): string;
  stop(): Promise<void>;
}

/** Debian 13 has 1.24: names of statements need 1.21. */
const debianProgram: DebianProgram = {
  name: 'pgbouncer',
  path: 'usr/sbin/pgbouncer',
  packages: [
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
  ],
};

/** Debian's PgBouncer; a line with the reason why there is none. */
export const obtainPgBouncer = async (): Promise<Program | string> => obtainDebianProgram(debianProgram);

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
