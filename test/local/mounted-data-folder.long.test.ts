import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { startBy } from '../start/npm-start.ts';
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

onMounts('npm start as root, on a data folder that is a mount point', () => {
  it(
    'starts when that user has no access, and warns that the database is outside the mount',
    async () => {
      const volume = await aFolder('closed-volume');
      const running = inContainer(volume, '/mnt/closed/data');
      await demo(volume, running);
      expect(running.output()).toMatch(
        /^Warning: the database is in \/var\/lib\/steward\/\S+, outside the mount .* let user id \d+ pass through/m,
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
