import { describe, expect, it } from '@jest/globals';
import { repeat } from '../../../platform/process/repeat.ts';

describe('a repeated act', () => {
  it('ends with the signal, also during the delay', async () => {
    const stopping = new AbortController();
    let acts = 0;
    await repeat(stopping.signal, async () => {
      acts += 1;
      if (acts < 3) return 0;
      setTimeout(() => stopping.abort());
      return 3_600_000;
    });
    expect(acts).toBe(3);
  });

  it('does not begin after the signal, and ends with a failure', async () => {
    const fail = async () => Promise.reject(new Error('not handled'));
    await repeat(AbortSignal.abort(), fail);
    await expect(repeat(new AbortController().signal, fail)).rejects.toThrow('not handled');
  });
});
