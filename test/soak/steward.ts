import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScript } from '../../bench/process.ts';
import { readDemoFile, type DemoFile } from '../../local/demo-file.ts';
import { removeCluster } from '../../local/postgres-cluster.ts';
import { eventually } from '../support/eventually.ts';

/** Processes that `npm start` restarts after a kill. */
export const victims = ['api', 'worker', 'postgres', 'temporal'] as const;
export type Victim = (typeof victims)[number];

const startsWithinMs = 300_000;

/** An `npm start` on its own data folder. */
export interface SoakedSteward {
  /** File with the standard output and error of all processes. */
  readonly log: string;
  /** The running processes and their addresses. */
  current(): Promise<DemoFile>;
  /** Kills one process with SIGKILL. Resolves when its successor runs. */
  kill(victim: Victim): Promise<void>;
  stop(): Promise<void>;
}

/** Runs `npm start`. `environment` contains variables that differ from the defaults; the log is written to `folder`. */
export async function startSteward(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<SoakedSteward> {
  const data = await mkdtemp(join(tmpdir(), 'steward-soak-'));
  const log = join(folder, 'steward.log');
  const variables = { PORT: '0', STEWARD_DATA_DIR: data, LOG_LEVEL: 'warn', LOG_FORMAT: 'json' };
  const program = await startScript('cli/start.ts', { ...variables, ...environment }, log);
  const current = async (): Promise<DemoFile> => {
    const demo = await readDemoFile(join(data, 'demo.json'));
    if (demo === undefined) throw new Error(`npm start has no demo.json: see ${log}.`);
    return demo;
  };
  const stop = async (): Promise<void> => {
    await program.stop();
    await removeCluster(join(data, 'postgres'));
    await rm(data, { recursive: true, force: true });
  };
  try {
    await eventually(current, { within: startsWithinMs });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    log,
    current,
    stop,
    async kill(victim) {
      const { [victim]: pid } = (await current()).pids;
      if (pid === null) throw new Error(`npm start has no process of ${victim}.`);
      process.kill(pid, 'SIGKILL');
      await eventually(async () => (await current()).pids[victim] !== pid, { within: startsWithinMs });
    },
  };
}
