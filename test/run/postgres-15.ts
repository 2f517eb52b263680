import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choosePort } from '../../local/ports.ts';
import { postgresAccount } from '../../local/postgres-account.ts';
import { serverOptions } from '../../local/postgres.ts';
import { runCommand } from '../../local/run-command.ts';
import { StartFailure } from '../../local/start-failure.ts';
import { notObtained, unpackedPackages, type DebianPackages } from '../support/debian-programs.ts';

/** A server of this test run without durability. */
export interface TestPostgres {
  /** Superuser, database `postgres`. */
  readonly url: string;
  /** Stops the server and removes its files. */
  stop(): Promise<void>;
}

const packages: DebianPackages = {
  name: 'postgresql-15',
  release: 'bookworm',
  packages: [
    'postgresql-15',
    'postgresql-client-15',
    'libicu72',
    'libldap-2.5-0',
    'libpq5',
    'libsasl2-2',
    'libssl3',
    'libxml2',
  ],
};

const libraries: Readonly<Record<string, string>> = {
  x64: 'usr/lib/x86_64-linux-gnu',
  arm64: 'usr/lib/aarch64-linux-gnu',
};

/** Starts Debian 12's PostgreSQL 15, the oldest supported version, with the settings of the embedded server. */
export async function startPostgres15(onProgress: (line: string) => void): Promise<TestPostgres> {
  const programs = await unpackedPackages(packages).catch((error: unknown) => {
    throw new StartFailure(notObtained(packages, error), { cause: error });
  });
  const folder = await mkdtemp(join(tmpdir(), 'steward-postgres-15-'));
  const account = await postgresAccount(folder, onProgress);
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  const data = join(folder, 'data');
  const password = join(folder, 'password');
  await writeFile(password, 'postgres\n', { mode: 0o644 });
  const environment = {
    ...process.env,
    LC_ALL: 'C',
    LD_LIBRARY_PATH: join(programs, libraries[process.arch] ?? ''),
  };
  const run = async (program: string, ...rest: readonly string[]): Promise<void> => {
    const path = join(programs, 'usr/lib/postgresql/15/bin', program);
    const { ok, output } = await runCommand(path, [`--pgdata=${data}`, ...rest], { account, environment });
    if (!ok) throw new StartFailure(`${program} of PostgreSQL 15 failed: ${output}`);
  };
  await run(
    'initdb',
    '--username=postgres',
    `--pwfile=${password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  );
  const port = await choosePort(undefined);
  await run('pg_ctl', 'start', '-w', `--log=${join(folder, 'log')}`, '-o', serverOptions(port, false));
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${String(port)}/postgres`,
    async stop() {
      await run('pg_ctl', 'stop', '-w', '--mode=immediate');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
