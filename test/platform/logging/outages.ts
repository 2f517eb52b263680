import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { removeCluster } from '../../../local/postgres-cluster.ts';
import { startPostgres } from '../../../local/postgres.ts';
import { searchAttributes } from '../../../local/servers.ts';
import { startTemporal } from '../../../local/temporal.ts';
import { aDatabase } from '../../support/database.ts';
import { aDocument, calledThrough } from '../../support/factories.ts';
import { startProcess } from '../../support/processes.ts';
import { aListeningTenant, anEndpoint } from '../../support/webhooks.ts';
import { anInstallation } from '../../workflows/migrations.ts';
import { eventLines, underLoad, worksAgain } from './load.ts';

/* An API and a worker under load on separate servers, and outages of a server. */

export type Server = 'PostgreSQL' | 'Temporal';

/** `SIGSTOP`: connections stay open and nothing responds. `SIGKILL`: connections break, and new ones are refused. */
export type Outage = 'SIGSTOP' | 'SIGKILL';

export interface Scene {
  /** Returns the lines that each process logs from the beginning of the outage until both work again; no access lines. */
  linesOf(
    server: Server,
    outage: Outage,
    forMs: number,
  ): Promise<{ readonly api: readonly string[]; readonly worker: readonly string[] }>;
  close(): Promise<void>;
}

export async function aScene(): Promise<Scene> {
  const directory = await mkdtemp(join(tmpdir(), 'steward-outage-'));
  const options = {
    PostgreSQL: {
      directory: join(directory, 'postgres'),
      database: 'postgres',
      durable: false,
      onProgress: () => undefined,
    },
    Temporal: {
      binary: process.env['TEST_TEMPORAL_BINARY'] ?? '',
      directory: join(directory, 'temporal'),
      databaseFile: join(directory, 'temporal.db'),
      namespace: 'default',
      searchAttributes,
      ui: false,
    },
  };
  const start = {
    PostgreSQL: async () => startPostgres(options.PostgreSQL),
    Temporal: async () => startTemporal(options.Temporal),
  };
  const postgres = await start.PostgreSQL();
  const temporal = await start.Temporal();
  const servers = {
    PostgreSQL: postgres as { pid: number; stop(): Promise<void> },
    Temporal: temporal as { pid: number; stop(): Promise<void> },
  };
  const variables = { TEMPORAL_ADDRESS: temporal.address, TEMPORAL_NAMESPACE: 'default' };
  const installation = await anInstallation({ database: await aDatabase(postgres.url), temporal: variables });
  const { database } = installation.api;
  const logged = { LOG_LEVEL: 'info', STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };
  const api = await startProcess('api', database.url, { ...variables, ...logged });
  const worker = await installation.startWorker(logged);
  const tenant = calledThrough(api, await aListeningTenant(installation.api));
  await anEndpoint(installation.api, tenant, 'http://127.0.0.1:9/');
  const location = { tenant, document: await aDocument(tenant) };
  return {
    async linesOf(server, outage, forMs) {
      const lines = eventLines({ api, worker });
      await signal(servers[server].pid, outage);
      await underLoad(location, async () => pause(forMs));
      if (outage === 'SIGSTOP') await signal(servers[server].pid, 'SIGCONT');
      else servers[server] = await start[server]();
      await worksAgain(location);
      return lines();
    },
    async close() {
      await api.stop();
      await installation.close();
      await Promise.all([servers.PostgreSQL.stop(), servers.Temporal.stop()]);
      await removeCluster(options.PostgreSQL.directory);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Signals a server and, to stop or continue it, its child processes: PostgreSQL has one per connection. */
async function signal(pid: number, name: Outage | 'SIGCONT'): Promise<void> {
  process.kill(pid, name);
  if (name === 'SIGKILL') return;
  // Fails for a server without child processes.
  const children = await promisify(execFile)('pgrep', ['-P', String(pid)]).catch(() => ({ stdout: '' }));
  for (const child of children.stdout.split('\n').filter((line) => line !== ''))
    signalIfRunning(Number(child), name);
}

/** A connection may end between the list and its signal. */
function signalIfRunning(pid: number, name: Outage | 'SIGCONT'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
