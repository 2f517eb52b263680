import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';
import type { DemoFile } from '../../local/demo-file.ts';
import { startBy, type Start } from '../start/npm-start.ts';
import { aClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';

// Only root uses a database outside the data folder, and only root may mount.
const mayMount =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
/** `describe`, or `describe.skip` where folders cannot be mounted. */
export function onMounts(name: string, tests: () => void): void {
  // Looked up at each call, because each test file has its own `describe` and this module is loaded once.
  (mayMount ? describe : describe.skip)(name, tests);
}

let folder: string;
let start: Start | undefined;

/**
 * Runs `npm start` like a container: in its own mount namespace with the volume at `at`, below /mnt, and a temporary
 * /var/lib/steward.
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

/** Registers a start, which is stopped after the test. */
export function started(running: Start): Start {
  start = running;
  return running;
}

/** Creates an empty volume below a folder that is deleted after the tests. */
export async function aFolder(name: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  return path;
}

/** Reads `demo.json` on the volume, independent of the path in a container. */
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

/** Stops the last start. */
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

/** Timeout of one of these tests in milliseconds. */
export const limitMs = 1_800_000;
