import { describe, expect, it } from '@jest/globals';
import { unlessStopped } from '../../activities/unless-stopped.ts';

describe('a turn of an activity', () => {
  it('returns its result when it ends before or soon after the process stops', async () => {
    const stopping = new AbortController();
    expect(await unlessStopped(stopping.signal, Promise.resolve('early'))).toBe('early');
    const { promise, resolve } = Promise.withResolvers<string>();
    const turn = unlessStopped(stopping.signal, promise);
    stopping.abort();
    resolve('late');
    expect(await turn).toBe('late');
  });

  it('yields without its result when the process stops and the turn goes on', async () => {
    const stopping = new AbortController();
    const { promise } = Promise.withResolvers<string>();
    const turn = unlessStopped(stopping.signal, promise);
    stopping.abort();
    expect(await turn).toBeUndefined();
    expect(await unlessStopped(stopping.signal, promise)).toBeUndefined();
  });

  it('fails as the turn fails', async () => {
    const { signal } = new AbortController();
    await expect(unlessStopped(signal, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });
});
