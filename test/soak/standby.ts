import { join } from 'node:path';
import type { RunningCluster } from '../../cli/cluster/start-cluster.ts';
import { rememberPorts } from '../../local/ports.ts';
import { clusterFiles, removeCluster } from '../../local/postgres-cluster.ts';
import { startPostgres, type RunningPostgres } from '../../local/postgres.ts';
import { followPrimary, makeStandby, promote, whenReplicated } from '../support/standby.ts';

/** The streaming standby of a cluster's PostgreSQL. Commits wait for it. */
export interface SoakedStandby {
  /** Starts the standby as the primary server at the port of the killed one. */
  readonly takeOver: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Stops PostgreSQL for the time of a copy, and starts it with a standby. */
export async function aStandbyOf(
  cluster: RunningCluster,
  postgresFolder: string,
  folder: string,
): Promise<SoakedStandby> {
  const directory = join(folder, 'standby');
  const start = async (): Promise<RunningPostgres> =>
    await startPostgres({ directory, database: 'postgres', durable: true, onProgress: () => undefined });
  await cluster.postgres().stop();
  await makeStandby(postgresFolder, directory);
  await cluster.restartPostgres();
  const { url } = cluster.postgres();
  await followPrimary(directory, url);
  let standby = await start();
  await whenReplicated(url);
  return {
    async takeOver() {
      await standby.stop();
      await rememberPorts(clusterFiles(directory).ports, { postgres: Number(new URL(url).port) });
      standby = await start();
      if (standby.url !== url) throw new Error('The port of the killed primary server is in use.');
      await promote(url);
    },
    async close() {
      await standby.stop();
      await removeCluster(directory);
    },
  };
}
