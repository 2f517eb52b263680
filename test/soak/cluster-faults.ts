import { Client } from 'pg';
import type { RunningCluster } from '../../cli/cluster/start-cluster.ts';
import { isAlive } from '../../local/processes.ts';
import { eventually } from '../support/eventually.ts';
import type { HaProxy } from '../support/haproxy.ts';
import type { Proxy } from '../support/proxy.ts';
import { postgresProcesses } from '../support/stoppable-postgres.ts';
import type { SoakedClock } from './clock.ts';
import type { Fault } from './faults.ts';
import { queryOnce } from './samples.ts';
import type { SmallDisk } from './small-disk.ts';
import type { SoakedStandby } from './standby.ts';

const clockStepSeconds = 600;

export interface SoakedCluster {
  readonly cluster: RunningCluster;
  readonly haProxy: HaProxy;
  /** Between APIs and workers and each server: `postgres` and `temporal`. */
  readonly proxies: ReadonlyMap<string, Proxy>;
  /** A string when this machine has none. */
  readonly clock: SoakedClock | string;
  /** Holds the data of PostgreSQL. A string when this machine has none. */
  readonly disk: SmallDisk | string;
  readonly standby: SoakedStandby;
}

/** All faults that this machine can make. */
export function faultsOf({
  cluster,
  haProxy,
  proxies,
  clock,
  disk,
  standby,
}: SoakedCluster): readonly Fault[] {
  return [
    ...stoppedProcesses(cluster, haProxy),
    ...[...proxies].map(([name, proxy]) => partition(name, proxy)),
    ...(typeof clock === 'string' ? [] : clockSteps(clock, cluster)),
    ...(typeof disk === 'string' ? [] : [fullDisk(disk, cluster)]),
    failover(cluster, standby),
  ];
}

/** Process ids by name, without those of PostgreSQL. */
export function processesOf(cluster: RunningCluster, haProxy: HaProxy): Record<string, number> {
  return {
    ...Object.fromEntries([...cluster.programs].map(([name, { pid }]) => [name, pid])),
    Temporal: cluster.temporalPid,
    HAProxy: haProxy.pid,
  };
}

function stoppedProcesses(cluster: RunningCluster, haProxy: HaProxy): Fault[] {
  const stopped = (what: string, pidsOf: () => Promise<readonly number[]>): Fault => {
    let pids: readonly number[] = [];
    return {
      name: `${what} stopped`,
      async begin() {
        pids = await pidsOf();
        for (const pid of pids) process.kill(pid, 'SIGSTOP');
      },
      end() {
        for (const pid of pids) process.kill(pid, 'SIGCONT');
      },
    };
  };
  return [
    ...Object.entries(processesOf(cluster, haProxy)).map(([name, pid]) => stopped(name, async () => [pid])),
    stopped('PostgreSQL', async () => await postgresProcesses(cluster.postgres().pid, cluster.databaseUrl)),
  ];
}

const partition = (name: string, proxy: Proxy): Fault => ({
  name: `APIs and workers cut off from ${name === 'postgres' ? 'PostgreSQL' : 'Temporal'}`,
  begin: () => proxy.hang(),
  end: async () => await proxy.restore(),
});

const clockSteps = ({ step }: SoakedClock, { baseUrls }: RunningCluster): Fault[] => {
  const stepAll = async (seconds: number): Promise<void> => {
    await step(seconds);
    for (const url of baseUrls)
      await eventually(async () => Math.abs((await clockOf(url)) - Date.now() - seconds * 1_000) < 5_000);
  };
  return [clockStepSeconds, -clockStepSeconds].map((seconds) => ({
    name: `clocks of APIs and workers 10 minutes ${seconds > 0 ? 'fast' : 'slow'}`,
    begin: async () => await stepAll(seconds),
    end: async () => await stepAll(0),
  }));
};

/** The time of an API, in milliseconds since the epoch. */
async function clockOf(baseUrl: string): Promise<number> {
  const { headers } = await fetch(`${baseUrl}/healthz`);
  return Date.parse(headers.get('date') ?? '');
}

const fullDisk = (disk: SmallDisk, cluster: RunningCluster): Fault => ({
  name: 'disk of PostgreSQL full',
  async begin() {
    // PostgreSQL removes files of its own.
    await eventually(async () => {
      await disk.fill();
      return !(await canWrite(cluster.databaseUrl));
    });
  },
  async end() {
    await disk.free();
    // PostgreSQL ends when its log has no room. As in a container, it is then started again.
    await eventually(async () => {
      if (!(await isAlive(cluster.postgres().process))) await cluster.restartPostgres();
      return (await queryOnce(cluster.databaseUrl, 'select 1 as one')) !== undefined;
    });
  },
});

/** The last fault: the other ones act on the primary server. */
const failover = (cluster: RunningCluster, standby: SoakedStandby): Fault => ({
  name: 'PostgreSQL killed, then its standby promoted',
  begin: () => void process.kill(cluster.postgres().pid, 'SIGKILL'),
  end: async () => await standby.takeOver(),
});

async function canWrite(databaseUrl: string): Promise<boolean> {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('begin');
    await client.query("create table rows_of_1_mb as select repeat('x', 1000) from generate_series(1, 1000)");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
