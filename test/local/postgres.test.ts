import { lstat, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { removeCluster } from '../../local/postgres-cluster.ts';
import { startPostgres } from '../../local/postgres.ts';
import type { RunningPostgres } from '../../local/postgres.ts';
import { waitUntilGone, identify } from '../../local/processes.ts';

let directory: string;
let server: RunningPostgres | undefined;
const shown: string[] = [];

const start = async (port?: number): Promise<RunningPostgres> => {
  server = await startPostgres({
    directory,
    database: 'steward',
    port,
    durable: true,
    // Excluded: progress after three seconds, which depends on the machine.
    onProgress: (line) => void (line.startsWith('… ') || shown.push(line)),
  });
  return server;
};

const ask = async (url: string, statement: string): Promise<unknown[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows.map((row) => Object.values(row)[0]);
  } finally {
    await client.end();
  }
};

beforeAll(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'postgres-')), 'data', 'postgres');
});

afterEach(async () => {
  await server?.stop();
  shown.length = 0;
});

afterAll(async () => {
  await removeCluster(directory);
});

describe('the embedded PostgreSQL', () => {
  it('is created at the first start, durable and in UTF-8 with any locale of the machine', async () => {
    const { url } = await start();
    const setting = async (name: string) => (await ask(url, `show ${name}`))[0];
    expect(await setting('server_version')).toMatch(/^18\./);
    expect(await setting('server_encoding')).toBe('UTF8');
    expect(await setting('data_checksums')).toBe('on');
    expect(await setting('fsync')).toBe('on');
    expect(
      await ask(url, `select datlocprovider::text || datlocale from pg_database where datname = 'steward'`),
    ).toEqual(['bC.UTF-8']);
    await ask(url, 'create table kept as select 1 as value');
  });

  it('listens on the loopback interface only and requires the password', async () => {
    const { url } = await start();
    expect(await ask(url, 'show listen_addresses')).toEqual(['127.0.0.1']);
    expect(await ask(url, 'show unix_socket_directories')).toEqual(['']);
    const stranger = new URL(url);
    stranger.password = 'guessed';
    await expect(ask(stranger.href, 'select 1')).rejects.toThrow('password authentication failed');
    expect((await lstat(join(directory, 'password'))).mode & 0o777).toBe(0o600);
  });

  it('starts where the environment requires TLS, which it does not have', async () => {
    process.env['PGSSLMODE'] = 'require';
    try {
      expect(await ask((await start()).url, 'select 1')).toEqual([1]);
    } finally {
      delete process.env['PGSSLMODE'];
    }
  });

  it('keeps its address and its data across starts', async () => {
    const first = await start();
    await first.stop();
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await ask(second.url, 'select value from kept')).toEqual([1]);
    expect(shown).toEqual([]);
  });

  it('does not run as root', async () => {
    const { pid } = await start();
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'Uid:\t1');
    expect(status).not.toMatch(/^Uid:\t0/m);
  });

  it('keeps every acknowledged write when it is killed', async () => {
    const { url, pid, process: postmaster } = await start();
    await ask(url, 'create table acknowledged as select generate_series(1, 1000) as value');
    process.kill(pid, 'SIGKILL');
    await waitUntilGone(postmaster, 5_000);
    expect(await ask((await start()).url, 'select count(*) from acknowledged')).toEqual(['1000']);
  });

  it('is replaced when it outlived the process that started it', async () => {
    const orphan = await start();
    const next = await start();
    expect(next.pid).not.toBe(orphan.pid);
    expect(await identify(orphan.pid)).toBeUndefined();
    expect(await ask(next.url, 'select value from kept')).toEqual([1]);
    expect(shown).toEqual(['Stopping the PostgreSQL of an earlier start …']);
  });

  it('starts when another program has the process id of its lock file', async () => {
    const { pid, process: postmaster } = await start();
    process.kill(pid, 'SIGKILL');
    await waitUntilGone(postmaster, 5_000);
    const lock = join(directory, 'cluster', 'postmaster.pid');
    const lines = (await readFile(lock, 'utf8')).split('\n');
    await writeFile(lock, [process.pid, ...lines.slice(1)].join('\n'));
    expect(await ask((await start()).url, 'select value from kept')).toEqual([1]);
  });

  it('selects another port when its own is in use', async () => {
    const before = await start();
    await before.stop();
    const other = createServer();
    const port = Number(new URL(before.url).port);
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    const after = await start(port);
    other.close();
    expect(new URL(after.url).port).not.toBe(String(port));
    expect(await ask(after.url, 'select value from kept')).toEqual([1]);
  });

  it('re-creates its data after an interrupted initdb', async () => {
    await server?.stop();
    const cluster = await realpath(join(directory, 'cluster'));
    // The state after a kill during initdb: an incomplete folder under a temporary name, and no cluster.
    const half = join(dirname(cluster), 'making-1');
    await rename(cluster, half);
    await rm(join(half, 'PG_VERSION'));
    await rm(join(directory, 'cluster'), { force: true });
    const { url } = await start();
    expect(await ask(url, `select count(*) from pg_tables where tablename = 'kept'`)).toEqual(['0']);
    expect(await readdir(dirname(cluster))).not.toContain('making-1');
  });

  it('describes unusable data in one line', async () => {
    await server?.stop();
    const version = join(directory, 'cluster', 'PG_VERSION');
    await writeFile(version, '17\n');
    await expect(start()).rejects.toThrow(
      /^.* was made by PostgreSQL 17, this is 18: dump and restore it, or choose another folder with STEWARD_DATA_DIR\.$/,
    );
    await writeFile(version, '18\n');
    const password = await readFile(join(directory, 'password'), 'utf8');
    await rm(join(directory, 'password'));
    await expect(start()).rejects.toThrow(/password is missing: restore it, or remove the data folder/);
    await writeFile(join(directory, 'password'), password);
  });
});
