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

/** Measures `npm start` on its own data folder: the first start, which creates everything, and later ones. */
export async function measureStarts(laterStarts: number, signal: AbortSignal): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-bench-start-'));
  const dataDirectory = join(folder, 'data');
  try {
    const first = await timeStart(dataDirectory, signal);
    const later: Start[] = [];
    for (let start = 0; start < laterStarts; start += 1) later.push(await timeStart(dataDirectory, signal));
    const atMost = (value: number) => ({ of: 'measured', is: 'at most', value }) as const;
    return [
      {
        name: 'first npm start after the downloads: until ready',
        unit: 's',
        steward: first.ready,
        target: atMost(60),
      },
      {
        name: 'second npm start: until ready',
        unit: 's',
        steward: median(later.map(({ ready }) => ready)),
        target: atMost(6),
      },
      {
        name: 'second npm start: the first GET /openapi.json',
        unit: 's',
        steward: median(later.map(({ document }) => document)),
      },
    ];
  } finally {
    await removeCluster(join(dataDirectory, 'postgres'));
    await rm(folder, { recursive: true, force: true });
  }
}

interface Start {
  /** Seconds from `npm start` to `demo.json`, which is written when `/readyz` returns 200. */
  readonly ready: number;
  /** Seconds of the first `GET /openapi.json`, which builds the document. */
  readonly document: number;
}

async function timeDocument(url: string, signal: AbortSignal): Promise<number> {
  const began = performance.now();
  const response = await fetch(`${url}/openapi.json`, { signal });
  if (!response.ok) throw new Error(`openapi.json returned ${String(response.status)}`);
  await response.arrayBuffer();
  return (performance.now() - began) / 1_000;
}

/** Starts and stops `npm start`. */
async function timeStart(dataDirectory: string, signal: AbortSignal): Promise<Start> {
  const began = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { ...plainEnvironment(), STEWARD_DATA_DIR: dataDirectory, PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors = `${errors}${chunk.toString()}`.slice(-2_000)));
  const ended = once(child, 'close');
  let supervisor: number | undefined;
  try {
    for (;;) {
      const text = await readIfThere(join(dataDirectory, 'demo.json'));
      if (text !== undefined) {
        const ready = (performance.now() - began) / 1_000;
        const { pids, baseUrl } = JSON.parse(text) as DemoFile;
        supervisor = pids.supervisor;
        return { ready, document: await timeDocument(baseUrl, signal) };
      }
      signal.throwIfAborted();
      if (child.exitCode !== null || performance.now() - began > 120_000) {
        throw new Error(`npm start did not become ready: ${errors}`);
      }
      await pause(10);
    }
  } finally {
    const pid = supervisor ?? child.pid;
    if (pid !== undefined && child.exitCode === null) process.kill(pid, 'SIGTERM');
    await ended;
  }
}
