import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DemoFile } from '../local/demo-file.ts';
import { readIfThere } from '../local/files.ts';
import { removeCluster } from '../local/postgres-cluster.ts';
import { median, type Figure } from './figure.ts';
import { plainEnvironment } from './process.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** `npm start` on a data folder of its own: the first, which makes everything, and later ones, which find it. */
export async function measureStarts(laterStarts: number, signal: AbortSignal): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-bench-start-'));
  const dataDirectory = join(folder, 'data');
  try {
    const first = await timeStart(dataDirectory, signal);
    const later: number[] = [];
    for (let start = 0; start < laterStarts; start += 1) later.push(await timeStart(dataDirectory, signal));
    const atMost = (value: number) => ({ of: 'measured', is: 'at most', value }) as const;
    return [
      {
        name: 'first npm start, programs downloaded before: until ready',
        unit: 's',
        steward: first,
        target: atMost(60),
      },
      { name: 'second npm start: until ready', unit: 's', steward: median(later), target: atMost(6) },
    ];
  } finally {
    await removeCluster(join(dataDirectory, 'postgres'));
    await rm(folder, { recursive: true, force: true });
  }
}

/** Seconds from `npm start` to `demo.json`, which is written once `/readyz` returns 200. Stops it again. */
async function timeStart(dataDirectory: string, signal: AbortSignal): Promise<number> {
  const began = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { ...plainEnvironment(), STEWARD_DATA_DIR: dataDirectory, PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-2_000)));
  const ended = once(child, 'close');
  let supervisor: number | undefined;
  try {
    for (;;) {
      const text = await readIfThere(join(dataDirectory, 'demo.json'));
      if (text !== undefined) {
        supervisor = (JSON.parse(text) as DemoFile).pids.supervisor;
        return (performance.now() - began) / 1_000;
      }
      signal.throwIfAborted();
      if (child.exitCode !== null || performance.now() - began > 120_000) {
        throw new Error(`npm start did not get ready: ${said}`);
      }
      await pause(10);
    }
  } finally {
    const pid = supervisor ?? child.pid;
    if (pid !== undefined && child.exitCode === null) process.kill(pid, 'SIGTERM');
    await ended;
  }
}
