import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { codeOf } from '../../platform/process/error-code.ts';
import { removeCluster } from '../../local/postgres-cluster.ts';
import { startPostgres } from '../../local/postgres.ts';
import { aDatabase, type TestDatabase } from './database.ts';

/** A separate PostgreSQL server with a migrated database. */
export interface StoppablePostgres {
  readonly database: TestDatabase;
  /** Sends SIGSTOP to the server and all its sessions: connections stay open without responses. */
  stop(): Promise<void>;
  /** Sends SIGCONT. */
  resume(): void;
  readonly close: () => Promise<void>;
}

export async function aStoppablePostgres(): Promise<StoppablePostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-stoppable-'));
  const directory = join(folder, 'postgres');
  const server = await startPostgres({
    directory,
    database: 'postgres',
    durable: false,
    onProgress: () => undefined,
  });
  const database = await aDatabase(server.url);
  let stopped: readonly number[] = [];
  const resume = (): void => {
    for (const pid of stopped) signaled(pid, 'SIGCONT');
    stopped = [];
  };
  return {
    database,
    async stop() {
      const found = await postgresProcesses(server.pid, server.url);
      stopped = found.filter((pid) => signaled(pid, 'SIGSTOP'));
    },
    resume,
    async close() {
      resume();
      await server.stop();
      await removeCluster(directory);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns false when the process has ended, like a session that closes after it was listed. */
function signaled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    throw error;
  }
}

/** Returns the server and its processes, except that of this query, which ends with its connection. */
export async function postgresProcesses(serverPid: number, url: string): Promise<readonly number[]> {
  return [serverPid, ...(await sessionsOf(url))];
}

/** Returns every process of the server except that of this query, which ends with its connection. */
async function sessionsOf(url: string): Promise<number[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>(
      'select pid from pg_stat_activity where pid <> pg_backend_pid()',
    );
    return rows.map(({ pid }) => pid);
  } finally {
    await client.end();
  }
}
