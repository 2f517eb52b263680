import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { megabytesIn, showingProgress } from '../../local/progress.ts';
import { eventually } from '../support/eventually.ts';

describe('the progress of a step', () => {
  it('is shown at each interval until the step ends', async () => {
    const shown: string[] = [];
    let done = 0;
    const result = await showingProgress(
      (line) => shown.push(line),
      async () => `${(done += 1)} of 2 parts`,
      async () => await eventually(() => shown.length >= 2 && 'result'),
    );
    expect(result).toBe('result');
    expect(shown.slice(0, 2)).toEqual([
      expect.stringMatching(/^… 1 of 2 parts \(\d+ s\)$/),
      expect.stringMatching(/^… 2 of 2 parts \(\d+ s\)$/),
    ]);
  });

  it('rethrows the failure of the step, and ignores a failed report', async () => {
    const failing = showingProgress(
      () => undefined,
      () => {
        throw new Error('no look');
      },
      async () => await Promise.reject(new Error('the step')),
    );
    await expect(failing).rejects.toThrow('the step');
  });

  it('counts the bytes of a folder at any depth, and zero for a missing folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'size-'));
    await mkdir(join(folder, 'deep'));
    await writeFile(join(folder, 'one'), Buffer.alloc(1_500_000));
    await writeFile(join(folder, 'deep', 'two'), Buffer.alloc(2_500_000));
    expect(await megabytesIn(folder)).toBe(4);
    expect(await megabytesIn(join(folder, 'gone'))).toBe(0);
  });
});
