import { getActiveResourcesInfo } from 'node:process';
import { describe, expect, it } from '@jest/globals';
import { within } from '../../../platform/process/within.ts';

const hour = 3_600_000;
const timers = () => getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('work with a time limit', () => {
  it('returns its result and leaves no timer', async () => {
    const before = timers();
    expect(await within(Promise.resolve('done'), hour, 'late')).toBe('done');
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it('fails like the work, and leaves no timer', async () => {
    const before = timers();
    await expect(within(Promise.reject(new Error('refused')), hour, 'late')).rejects.toThrow('refused');
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it('returns the other value after the limit, whatever the work does later', async () => {
    const work = Promise.withResolvers<string>();
    expect(await within(work.promise, 1, 'late')).toBe('late');
    work.reject(new Error('too late to be reported'));
    await new Promise(setImmediate);
  });
});
