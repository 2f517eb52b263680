import { describe, expect, it } from '@jest/globals';
import { lazily } from '../../../platform/process/single-flight.ts';

describe('lazily', () => {
  it('creates a value at the first call, once for concurrent callers, and again after a failure', async () => {
    let calls = 0;
    const value = lazily(async () => {
      calls += 1;
      await Promise.resolve();
      if (calls === 1) throw new Error('No file handle is free.');
      return `value ${String(calls)}`;
    });
    expect(calls).toBe(0);
    await expect(Promise.all([value(), value()])).rejects.toThrow('No file handle is free.');
    expect(calls).toBe(1);
    expect(await Promise.all([value(), value()])).toEqual(['value 2', 'value 2']);
    expect(await value()).toBe('value 2');
  });
});
