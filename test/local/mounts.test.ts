import { describe, expect, it } from '@jest/globals';
import { isKeptByMount, mountPointOf } from '../../local/mounts.ts';

const line = (point: string, root = '/') =>
  `36 35 98:0 ${root} ${point} rw,noatime shared:1 - ext4 /dev/sda rw`;
const table = (...points: readonly string[]) => points.map((point) => line(point)).join('\n');
const usual = '/var/lib/steward';

describe('the mount point of a path', () => {
  it.each([
    ['/data/db', ['/', '/data'], '/data'],
    ['/data', ['/', '/data'], '/data'],
    ['/database', ['/', '/data'], '/'],
    ['/data/deep/db', ['/', '/data', '/data/deep'], '/data/deep'],
    ['/data/deep/db', ['/', '/data/deep', '/data'], '/data'],
    ['/with space/db', ['/', '/with\\040space'], '/with space'],
    ['/anywhere', [], '/'],
  ])('of %s among %j is %s', (path, points, expected) => {
    expect(mountPointOf(path, table(...points))).toBe(expected);
  });

  it('is also found for a bind mount of the same file system', () => {
    expect(mountPointOf('/data', [line('/'), line('/data', '/volumes/data')].join('\n'))).toBe('/data');
  });
});

describe('a data folder is kept by a mount', () => {
  it.each([
    ['it is a mount point', '/data', ['/', '/data'], true],
    ['it is below a mount point', '/data/steward', ['/', '/data'], true],
    ['it is root’s database folder and a mount point', usual, ['/', usual], true],
    ['it is in the root file system', '/steward/.data', ['/', '/proc'], false],
    ['only the location for databases is a mount', '/steward/.data', ['/', '/var'], false],
    ['both lie on one disk', '/var/steward', ['/', '/var'], false],
    ['the system lists no mounts', '/data', [], false],
  ])('when %s', (_, folder, points, expected) => {
    expect(isKeptByMount(folder, usual, table(...points))).toBe(expected);
  });
});
