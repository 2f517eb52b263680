import { describe, expect, it } from '@jest/globals';
import { FailureLimiter } from '../../../../api/http/caller/failure-limiter.ts';

describe('the limiter of failed credentials', () => {
  /** A limiter of one failure that counts alone, because the count of all processes fails. */
  const alone = (clock?: { now(): number }): FailureLimiter =>
    new FailureLimiter({ limit: 1, count: async () => Promise.reject(new Error('Away.')) }, clock);

  /** Returns whether a failure exceeds the limit. */
  const refused = async (limiter: FailureLimiter, address: string) => (await limiter.fail(address)) > 0;

  const refusals = async (limiter: FailureLimiter, addresses: readonly string[]): Promise<boolean[]> => {
    const all: boolean[] = [];
    for (const address of addresses) all.push(await refused(limiter, address));
    return all;
  };

  it('remembers 20,000 callers, and evicts the one whose last failure is the oldest', async () => {
    const limiter = alone();
    const address = (number: number) => `10.0.${String(number >> 8)}.${String(number & 255)}`;
    for (let number = 0; number < 20_000; number += 1) await limiter.fail(address(number));
    await limiter.fail(address(0));
    await limiter.fail(address(20_000));
    // The order matters: an evicted caller evicts another one when it returns.
    expect(await refusals(limiter, [0, 2, 20_000, 1].map(address))).toEqual([true, true, true, false]);
  });

  it('counts IPv6 callers by their /64 network, in any notation', async () => {
    const limiter = alone();
    expect(await refused(limiter, '2001:db8:0:1::1')).toBe(false);
    expect(await refused(limiter, '2001:db8:0:1:ffff:ffff:ffff:ffff')).toBe(true);
    expect(await refused(limiter, '2001:0DB8:0000:0001:0::2')).toBe(true);
    expect(await refused(limiter, '2001:db8:0:2::1')).toBe(false);
    expect(await refused(limiter, '2001:db8:1:1::1')).toBe(false);
    expect(await refused(limiter, 'fe80::1%eth0')).toBe(false);
    expect(await refused(limiter, 'fe80::2%eth0')).toBe(true);
  });

  it('counts each IPv4 address separately, also when IPv6 maps it', async () => {
    const limiter = alone();
    expect(await refused(limiter, '::ffff:192.0.2.1')).toBe(false);
    expect(await refused(limiter, '192.0.2.1')).toBe(true);
    expect(await refused(limiter, '::ffff:c000:201')).toBe(true);
    expect(await refused(limiter, '::ffff:192.0.2.2')).toBe(false);
    expect(await refused(limiter, '192.0.2.3')).toBe(false);
    expect(await refused(limiter, '::1')).toBe(false);
  });

  it('counts callers without an address, whose connection has closed, as one', async () => {
    const limiter = alone();
    expect(await refusals(limiter, ['', ''])).toEqual([false, true]);
  });

  it('ends a count one minute after the first failure, also after further failures', async () => {
    let now = 1;
    const limiter = alone({ now: () => now });
    expect(await refused(limiter, '192.0.2.1')).toBe(false);
    now += 20_000;
    expect(await limiter.fail('192.0.2.1')).toBe(40);
    now += 39_000;
    expect(await limiter.fail('192.0.2.1')).toBe(1);
    now += 2_000;
    expect(await refused(limiter, '192.0.2.1')).toBe(false);
  });

  it('is off at 0', async () => {
    const limiter = new FailureLimiter({ limit: 0, count: async () => Promise.resolve(new Map()) });
    expect(await refusals(limiter, ['192.0.2.1', '192.0.2.1'])).toEqual([false, false]);
  });

  it('counts with the failures of other processes, together with those that arrive meanwhile', async () => {
    let all = 7;
    const batches: number[] = [];
    const limiter = new FailureLimiter({
      limit: 10,
      count: async (failures) => {
        const own = failures.get('192.0.2.1') ?? 0;
        batches.push(own);
        all += own;
        const failuresOfAll = all;
        await Promise.resolve();
        return new Map([['192.0.2.1', { failures: failuresOfAll, endsInMs: 30_000 }]]);
      },
    });
    const waits = await Promise.all(Array.from({ length: 6 }, async () => limiter.fail('192.0.2.1')));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
    expect(waits.filter((wait) => wait > 0)).toHaveLength(3);
    const statements = batches.length;
    expect(await limiter.fail('192.0.2.1')).toBeLessThan(60);
    expect(batches).toHaveLength(statements);
  });

  it('counts alone while the count of all processes fails', async () => {
    expect(await refusals(alone(), ['192.0.2.1', '192.0.2.1'])).toEqual([false, true]);
  });
});
