import { describe, expect, it } from '@jest/globals';
import { RateLimiter } from '../../../../api/http/caller/rate-limiter.ts';

describe('the request rate limiter', () => {
  const allowed = (limiter: RateLimiter, key: string, now: number) =>
    limiter.take(key, undefined, now).allowed;

  it('allows a burst, then one request per refilled token', () => {
    const limiter = new RateLimiter({ perSecond: 10, burst: 2 });
    expect([0, 0, 0, 99, 101, 101].map((now) => allowed(limiter, 'key', now))).toEqual([
      true,
      true,
      false,
      false,
      true,
      false,
    ]);
    expect(limiter.take('key', undefined, 101)).toEqual({
      allowed: false,
      limit: 2,
      remaining: 0,
      reset: 1,
      retryAfter: 1,
    });
  });

  it('applies the limits of a key from its next request on', () => {
    const limiter = new RateLimiter({ perSecond: 0, burst: 10 });
    const take = (requestsPerSecond: number | null, burst: number | null, now: number) => {
      const { allowed: isAllowed, limit, remaining } = limiter.take('key', { requestsPerSecond, burst }, now);
      return [isAllowed, limit, remaining];
    };
    expect(take(10, null, 0)).toEqual([true, 10, 9]);
    expect(take(10, 2, 0)).toEqual([true, 2, 1]);
    expect(take(10, 20, 0)).toEqual([true, 20, 0]);
    expect(take(10, 20, 0)).toEqual([false, 20, 0]);
    expect(take(1_000, 20, 10)).toEqual([true, 20, 9]);
    const off = (requestsPerSecond: number | null) => limiter.isUnlimited({ requestsPerSecond, burst: null });
    expect([off(null), off(10)]).toEqual([true, false]);
  });

  it('remembers 20,000 keys, evicts the least recently seen one and keeps all other buckets', () => {
    const limiter = new RateLimiter({ perSecond: 1, burst: 1 });
    for (let key = 0; key < 20_000; key += 1) limiter.take(String(key), undefined, 0);
    limiter.take('0', undefined, 0);
    limiter.take('20000', undefined, 0);
    // The order matters: an evicted key evicts another one when it returns.
    expect(['0', '2', '20000', '1'].map((key) => [key, allowed(limiter, key, 0)])).toEqual([
      ['0', false],
      ['2', false],
      ['20000', false],
      ['1', true],
    ]);
  });
});
