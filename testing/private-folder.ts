import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeCluster } from '../local/postgres-cluster.ts';
import { keptProcess } from '../local/pid-file.ts';
import { stopProcess } from '../local/processes.ts';
import type { ClosingStack } from '../platform/process/closing-stack.ts';

/** The folders of one environment. */
export interface PrivateFolder {
  readonly root: string;
  readonly postgres: string;
  readonly temporal: string;
}

const foldersIn = (root: string): PrivateFolder => ({
  root,
  postgres: join(root, 'postgres'),
  temporal: join(root, 'temporal'),
});

/** Files with the process ids of the servers, and a part of their command lines. */
export const pidFiles = {
  postgres: { name: 'postgres.pid', mark: 'postgres', signal: 'SIGQUIT' },
  timeSkipping: { name: 'time-skipping.pid', mark: 'temporal-test-server', signal: 'SIGTERM' },
  development: { name: join('temporal', 'temporal.pid'), mark: 'start-dev', signal: 'SIGTERM' },
} as const;

/** A new folder. It is removed, and its servers are stopped, when the environment closes or this process is killed. */
export async function makePrivateFolder(parts: ClosingStack): Promise<PrivateFolder> {
  const root = await mkdtemp(join(tmpdir(), 'steward-environment-'));
  const program = fileURLToPath(new URL('watchdog.ts', import.meta.url));
  const { NODE_OPTIONS: _ofTheTests, ...env } = process.env;
  // Its own process group, so that it survives Ctrl-C. Its input ends when this process ends.
  const watchdog = spawn(process.execPath, [program, root], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env,
  });
  watchdog.on('error', () => undefined);
  watchdog.unref();
  await parts.add(async () => {
    await removePrivateFolder(root);
    watchdog.kill('SIGKILL');
  });
  return foldersIn(root);
}

/** Stops the servers of the folder and removes it. */
export async function removePrivateFolder(root: string): Promise<void> {
  for (const { name, mark, signal } of Object.values(pidFiles)) {
    const server = await keptProcess(join(root, name), mark);
    if (server !== undefined) await stopProcess(server, 5_000, signal);
  }
  await removeCluster(foldersIn(root).postgres);
  await rm(root, { recursive: true, force: true });
}
