import { join } from 'node:path';
import type { DataFolder } from './data-folder.ts';
import {
  keepRunning,
  type KeepRunningOptions,
  type KeptComponent,
  type RunningComponent,
} from './keep-running.ts';
import { startProgram, stopLeftoverProgram } from './program.ts';
import { showingProgress } from './progress.ts';

/** Scripts of the two programs, relative to the repository. */
export interface Scripts {
  readonly api: string;
  readonly worker: string;
}
type Name = keyof Scripts;

/** Longer than the time in which a program ends by itself: an API within 75 s after its drain delay, a worker within 45 s. */
const graceMs = { api: 90_000, worker: 60_000, leftover: 10_000 } as const;

/** Starts a program and restarts it when it ends; calls `environment` at each start. */
export async function keepProgram(
  name: Name,
  environment: () => NodeJS.ProcessEnv,
  {
    folder,
    scripts,
    watching,
  }: { readonly folder: DataFolder; readonly scripts: Scripts; readonly watching: KeepRunningOptions },
): Promise<KeptComponent<RunningComponent>> {
  const start = async () =>
    await startProgram({
      script: scripts[name],
      environment: environment(),
      pidFile: pidFileOf(folder, name),
      graceMs: graceMs[name],
    });
  return await keepRunning({ title: name === 'api' ? 'The API' : 'The worker', start }, watching);
}

/** Stops the programs of an earlier start whose supervisor was killed. */
export async function stopLeftoverPrograms(
  scripts: Scripts,
  folder: DataFolder,
  show: (line: string) => void,
): Promise<void> {
  const stopped = await showingProgress(
    show,
    () => 'stopping programs of an earlier start',
    async () =>
      await Promise.all([
        stopLeftoverProgram(scripts.api, pidFileOf(folder, 'api'), graceMs.leftover),
        stopLeftoverProgram(scripts.worker, pidFileOf(folder, 'worker'), graceMs.leftover),
      ]),
  );
  if (stopped.includes(true)) show('Stopped programs of an earlier start that were still running.');
}

function pidFileOf(folder: DataFolder, name: Name): string {
  return join(folder.processes, `${name}.pid`);
}
