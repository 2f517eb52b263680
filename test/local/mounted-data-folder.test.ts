import { execFileSync } from 'node:child_process';
import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { killAll, living } from '../start/npm-start.ts';
import { aFolder, client, demo, inContainer, limitMs, onMounts, organizations } from './containers.ts';

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

  it('allows PostgreSQL’s user to pass through without read access', async () => {
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
});
