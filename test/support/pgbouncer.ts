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
  readonly port: number;
  /** URL of the same database with the same credentials through the pooler. */
  urlOf(databaseUrl: string): string;
  stop(): Promise<void>;
}

/** `named` is 1.24, which tracks the names of prepared statements. `unnamed` is 1.18, which does not. */
export type PoolerKind = 'named' | 'unnamed';

const shared = 'libc6 libpam0g libsystemd0 libcap2 libaudit1 libcap-ng0 libzstd1 zlib1g';

const debianPrograms: Readonly<Record<PoolerKind, DebianProgram>> = {
  named: {
    name: 'pgbouncer',
    path: 'usr/sbin/pgbouncer',
    packages: `pgbouncer libcares2 libevent-2.1-7t64 libssl3t64 ${shared}`.split(' '),
  },
  unnamed: {
    name: 'pgbouncer',
    release: 'bookworm',
    path: 'usr/sbin/pgbouncer',
    packages:
      `pgbouncer libc-ares2 libevent-2.1-7 libssl3 libgcrypt20 libgpg-error0 liblz4-1 liblzma5 ${shared}`.split(
        ' ',
      ),
  },
};

/** Returns Debian's PgBouncer, or a line with the reason why it is not available. */
export const obtainPgBouncer = async (kind: PoolerKind): Promise<Program | string> =>
  obtainDebianProgram(debianPrograms[kind]);

export interface PgBouncerOptions {
  readonly kind: PoolerKind;
  /** Max server connections per database and role. Default: 8. */
  readonly poolSize?: number | undefined;
}

/** Starts it in front of the server of `databaseUrl`, a superuser's. Other roles log in with their own passwords. */
export async function startPgBouncer(
  [command, ...first]: Program,
  databaseUrl: string,
  { kind, poolSize = 8 }: PgBouncerOptions,
): Promise<PgBouncer> {
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const port = await choosePort(undefined);
  const folder = await mkdtemp(join(tmpdir(), 'steward-pgbouncer-'));
  const [settings, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users.txt')];
  await writeFile(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  // Strict: does not ignore startup parameters and does not reset sessions.
  await writeFile(
    settings,
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${String(port)}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
auth_user = ${username}
auth_query = select usename, passwd from pg_shadow where usename = $1
pool_mode = transaction
ignore_startup_parameters =
server_reset_query =
max_client_conn = 1000
default_pool_size = ${String(poolSize)}
server_round_robin = 1
${kind === 'named' ? 'max_prepared_statements = 500' : ''}
`,
  );
  // PgBouncer refuses to run as root, so it runs as another user.
  const root = process.getuid?.() === 0;
  await chmod(folder, 0o755);
  const child = spawn(command, [...first, ...(root ? ['--user=nobody'] : []), settings], { stdio: 'ignore' });
  const exit = once(child, 'exit');
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error('PgBouncer ended.');
    return reach(port);
  });
  return {
    port,
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
