import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fullDiskHint } from '../../local/disk-space.ts';

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'steward-disk-')));
});
afterAll(async () => rm(folder, { recursive: true }));

describe('the disk space hint', () => {
  it('names the path of a full disk', async () => {
    expect(await fullDiskHint(folder, Number.POSITIVE_INFINITY)).toBe(
      `The disk that holds ${folder} is full: free some space.`,
    );
  });

  it('is undefined for a disk with space and for a missing folder', async () => {
    expect(await fullDiskHint(folder, 1)).toBeUndefined();
    expect(await fullDiskHint(join(folder, 'nowhere'), Number.POSITIVE_INFINITY)).toBeUndefined();
  });
});
