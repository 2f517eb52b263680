import { execFileSync } from 'node:child_process';
import { lstat, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { killAll, living, startBy } from '../start/npm-start.ts';
import {
  aFolder,
  client,
  demo,
  inContainer,
  limitMs,
  onMounts,
  organizations,
  started,
  stopped,
} from './containers.ts';

let volume: string;

onMounts('npm start as root, on a data folder that is a mount point', () => {
  it(
    'contains the database, which survives a kill of all processes and a new container',
    async () => {
      volume = await aFolder('volume');
      const first = inContainer(volume, '/mnt/data');
      const before = await demo(volume, first);
      expect(first.output()).toMatch(
        /^PostgreSQL: data in \/mnt\/data\/postgres\/cluster, running as the user postgres \(uid \d+\)\.$/m,
      );
      expect(first.output()).not.toContain('Warning');
      await client(before).ok('/v2/organizations/add', {
        organizations: [{ organizationId: 'kept', organizationName: 'Kept' }],
      });
      expect((await lstat(join(volume, 'postgres', 'cluster'))).isDirectory()).toBe(true);
      killAll(before);
      await first.ended();
      // Another container has the volume at another path, and no name for the owner of the database.
      execFileSync('chown', ['-R', '54321:54321', join(volume, 'postgres', 'cluster')]);
      const second = inContainer(volume, '/mnt/elsewhere');
      const after = await demo(volume, second, before);
      expect(second.output()).toMatch(
        /^PostgreSQL: data in \/mnt\/elsewhere\/postgres\/cluster, running as user id 54321\.$/m,
      );
      expect(await organizations(after)).toEqual(['kept']);
      expect(await living(after)).toHaveLength(5);
    },
    limitMs,
  );

  it('allows PostgreSQL’s user to traverse it without read access', async () => {
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
    'starts when that user has no access, and warns that the database is outside the mount',
    async () => {
      const volume = await aFolder('closed-volume');
      const running = inContainer(volume, '/mnt/closed/data');
      await demo(volume, running);
      expect(running.output()).toMatch(
        /^Warning: the database is in \/var\/lib\/steward\/\S+, outside the mount .* let user id \d+ traverse/m,
      );
    },
    limitMs,
  );

  it(
    'uses a database outside the mount, prints how to move it, and finds it after the move',
    async () => {
      const volume = await aFolder('old-volume');
      const outside = await aFolder('outside');
      // First without a mount point: the data folder is the volume itself.
      const script = `mount --bind '${outside}' /var/lib/steward && exec "$@"`;
      const start = started(
        startBy(['unshare', '--mount', 'sh', '-c', script, 'sh', process.execPath, 'cli/start.ts'], volume),
      );
      const before = await demo(volume, start);
      await client(before).ok('/v2/organizations/add', {
        organizations: [{ organizationId: 'old', organizationName: 'Old' }],
      });
      expect(start.output()).toContain('PostgreSQL: data in /var/lib/steward/');
      await stopped();

      const mounted = inContainer(volume, '/mnt/data', `mount --bind '${outside}' /var/lib/steward`);
      expect(await organizations(await demo(volume, mounted, before))).toEqual(['old']);
      const [, from = ''] =
        /run: rm \S+ && mv \/var\/lib\/steward\/(\S+) \S+\/postgres\/cluster$/m.exec(mounted.output()) ?? [];
      await stopped();

      await rm(join(volume, 'postgres', 'cluster'));
      await rename(join(outside, from), join(volume, 'postgres', 'cluster'));
      const moved = inContainer(volume, '/mnt/data');
      expect(await organizations(await demo(volume, moved, before))).toEqual(['old']);
      expect(moved.output()).not.toContain('Warning');
    },
    limitMs,
  );
});
