import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';
import type { DemoFile } from '../../local/demo-file.ts';
import { startBy, type Start } from '../start/npm-start.ts';
import { aClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';

// Only root has a database outside its data folder, and only root may mount.
const mayMount =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
/** Describes what holds where folders may be mounted. */
export const onMounts = mayMount ? describe : describe.skip;

let folder: string;
let start: Start | undefined;

/**
 * `npm start` in a mount namespace of its own that sees the volume at `at`, below /mnt, and a /var/lib/steward that goes
 * with it: a container.
 */
export function inContainer(volume: string, at: string, ...mounts: readonly string[]): Start {
  const script = [
    'mount -t tmpfs -o mode=755 none /mnt',
    'mkdir -m 700 /mnt/closed',
    'mkdir "$0"',
    `mount --bind '${volume}' "$0"`,
    'mkdir -p /var/lib/steward',
    'mount -t tmpfs none /var/lib/steward',
    ...mounts,
    'exec "$@"',
  ].join(' && ');
  return started(
    startBy(['unshare', '--mount', 'sh', '-c', script, at, process.execPath, 'cli/start.ts'], at),
  );
}

/** Remembers a start, which is stopped after the test. */
export function started(running: Start): Start {
  start = running;
  return running;
}

/** An empty one, below a folder that goes with the tests. */
export async function aFolder(name: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  return path;
}

/** `demo.json` as it stands on the volume, at whatever path another container sees it. */
export async function demo(volume: string, running: Start, before?: DemoFile): Promise<DemoFile> {
  return await eventually(async () => {
    if (running.child.exitCode !== null) throw new Error(running.output());
    const found = JSON.parse(await readFile(join(volume, 'demo.json'), 'utf8')) as DemoFile;
    return found.pids.supervisor !== before?.pids.supervisor && found;
  });
}

export const client = ({ baseUrl, apiKey, authToken }: DemoFile) =>
  aClient(baseUrl, { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken });

export const organizations = async (file: DemoFile) =>
  (await client(file).ok<{ id: string }[]>('/v2/organizations/get', {})).data.map(({ id }) => id);

/** Stops what was started last. */
export async function stopped(): Promise<void> {
  start?.child.kill('SIGTERM');
  await start?.ended();
  start = undefined;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mounted-'));
});

afterEach(stopped);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Milliseconds for one of these tests. */
export const limitMs = 300_000;
