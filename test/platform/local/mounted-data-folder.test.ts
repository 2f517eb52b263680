import { execFileSync, spawnSync } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { DemoFile } from '../../../platform/local/demo-file.ts';
import { living, startBy } from '../../start/npm-start.ts';
import type { Start } from '../../start/npm-start.ts';
import { aClient } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';

// Only root has a database outside its data folder, and only root may mount.
const mayMount =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
const onMounts = mayMount ? describe : describe.skip;

let folder: string;
let volume: string;
let start: Start | undefined;

/**
 * `npm start` in a mount namespace of its own that sees the volume at `at`, below /mnt, and a /var/lib/steward that goes
 * with it: a container.
 */
function inContainer(at: string, ...mounts: readonly string[]): Start {
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
  start = startBy(['unshare', '--mount', 'sh', '-c', script, at, process.execPath, 'cli/start.ts'], at);
  return start;
}

async function aFolder(name: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  return path;
}

/** `demo.json` as it stands on the volume, whoever sees that at another place. */
async function demo(running: Start, before?: DemoFile): Promise<DemoFile> {
  return await eventually(
    async () => {
      if (running.child.exitCode !== null) throw new Error(running.output());
      const found = JSON.parse(await readFile(join(volume, 'demo.json'), 'utf8')) as DemoFile;
      return found.pids.supervisor !== before?.pids.supervisor && found;
    },
    { within: 120_000 },
  );
}

const client = ({ baseUrl, apiKey, authToken }: DemoFile) =>
  aClient(baseUrl, { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken });

const organizations = async (file: DemoFile) =>
  (await client(file).ok<{ id: string }[]>('/v2/organizations/get', {})).data.map(({ id }) => id);

async function stopped(): Promise<void> {
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

const limitMs = 300_000;

onMounts('npm start as root, on a data folder that is a mount point', () => {
  it(
    'keeps the database in it: a kill of everything and a new container lose nothing',
    async () => {
      volume = await aFolder('volume');
      const first = inContainer('/mnt/data');
      const before = await demo(first);
      expect(first.output()).toMatch(
        /^PostgreSQL: data in \/mnt\/data\/postgres\/cluster, running as the user postgres \(uid \d+\)\.$/m,
      );
      expect(first.output()).not.toContain('Warning');
      await client(before).ok('/v2/organizations/add', {
        organizations: [{ organizationId: 'kept', organizationName: 'Kept' }],
      });
      expect((await lstat(join(volume, 'postgres', 'cluster'))).isDirectory()).toBe(true);
      for (const pid of Object.values(before.pids)) process.kill(Number(pid), 'SIGKILL');
      await first.ended();
      // Another container sees the volume at another place, and knows the owner of the database by no name.
      execFileSync('chown', ['-R', '54321:54321', join(volume, 'postgres', 'cluster')]);
      const second = inContainer('/mnt/elsewhere');
      const after = await demo(second, before);
      expect(second.output()).toMatch(
        /^PostgreSQL: data in \/mnt\/elsewhere\/postgres\/cluster, running as user id 54321\.$/m,
      );
      expect(await organizations(after)).toEqual(['kept']);
      expect(await living(after)).toHaveLength(5);
    },
    limitMs,
  );

  it('lets the user of PostgreSQL pass through, and nobody look in', async () => {
    const { uid, mode } = await stat(volume);
    expect([uid, mode & 0o777]).toEqual([0, 0o710]);
    const postgres = await stat(join(volume, 'postgres'));
    expect([postgres.uid, postgres.mode & 0o777]).toEqual([0, 0o710]);
    for (const secret of ['secrets.json', 'postgres/password']) {
      const found = await stat(join(volume, secret));
      expect([found.uid, found.mode & 0o777]).toEqual([0, 0o600]);
    }
    expect((await stat(join(volume, 'postgres', 'cluster'))).mode & 0o777).toBe(0o700);
  });

  it(
    'starts where that user is kept out, and warns that the database lies outside the mount',
    async () => {
      volume = await aFolder('closed-volume');
      const running = inContainer('/mnt/closed/data');
      await demo(running);
      expect(running.output()).toMatch(
        /^Warning: the database lies in \/var\/lib\/steward\/\S+, outside the mount .* let user id \d+ pass through/m,
      );
    },
    limitMs,
  );

  it(
    'uses a database that an earlier start keeps outside, says how to move it, and finds it when moved',
    async () => {
      volume = await aFolder('old-volume');
      const outside = await aFolder('outside');
      // First no mount point: the data folder is the volume itself.
      const script = `mount --bind '${outside}' /var/lib/steward && exec "$@"`;
      start = startBy(
        ['unshare', '--mount', 'sh', '-c', script, 'sh', process.execPath, 'cli/start.ts'],
        volume,
      );
      const before = await demo(start);
      await client(before).ok('/v2/organizations/add', {
        organizations: [{ organizationId: 'old', organizationName: 'Old' }],
      });
      expect(start.output()).toContain('PostgreSQL: data in /var/lib/steward/');
      await stopped();

      const mounted = inContainer('/mnt/data', `mount --bind '${outside}' /var/lib/steward`);
      expect(await organizations(await demo(mounted, before))).toEqual(['old']);
      const [, from = ''] =
        /run: rm \S+ && mv \/var\/lib\/steward\/(\S+) \S+\/postgres\/cluster$/m.exec(mounted.output()) ?? [];
      await stopped();

      await rm(join(volume, 'postgres', 'cluster'));
      await rename(join(outside, from), join(volume, 'postgres', 'cluster'));
      const moved = inContainer('/mnt/data');
      expect(await organizations(await demo(moved, before))).toEqual(['old']);
      expect(moved.output()).not.toContain('Warning');
    },
    limitMs,
  );
});
