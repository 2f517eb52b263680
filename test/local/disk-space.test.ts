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

describe('a start that failed', () => {
  it('tells of a full disk, and where it is', async () => {
    expect(await fullDiskHint(folder, Number.POSITIVE_INFINITY)).toBe(
      `The disk that holds ${folder} is full: free some space.`,
    );
  });

  it('tells nothing of a disk with space, and of a folder that is not there', async () => {
    expect(await fullDiskHint(folder, 1)).toBeUndefined();
    expect(await fullDiskHint(join(folder, 'nowhere'), Number.POSITIVE_INFINITY)).toBeUndefined();
  });
});
