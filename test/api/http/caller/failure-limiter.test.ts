import { describe, expect, it } from '@jest/globals';
import { FailureLimiter } from '../../../../api/http/caller/failure-limiter.ts';
import { eventually } from '../../../support/eventually.ts';

describe('the limiter of failed credentials', () => {
  /** Returns whether a failure exceeds the limit. */
  const refused = async (limiter: FailureLimiter, address: string) => (await limiter.fail(address)) > 0;

  const refusals = async (limiter: FailureLimiter, addresses: readonly string[]): Promise<boolean[]> => {
    const all: boolean[] = [];
    for (const address of addresses) all.push(await refused(limiter, address));
    return all;
  };

  it('evicts only the caller whose last failure is the oldest', async () => {
    const limiter = new FailureLimiter({ limit: 1, maxCallers: 3 });
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.1']) await limiter.fail(address);
    await limiter.fail('192.0.2.4');
    const again = ['192.0.2.1', '192.0.2.3', '192.0.2.4', '192.0.2.2'];
    expect(await refusals(limiter, again)).toEqual([true, true, true, false]);
  });

  it('remembers 20,000 callers, and evicts the oldest of 20,001', async () => {
    const limiter = new FailureLimiter({ limit: 1 });
    const address = (number: number) => `10.0.${String(number >> 8)}.${String(number & 255)}`;
    for (let number = 0; number < 20_001; number += 1) await limiter.fail(address(number));
    expect(await refusals(limiter, [1, 20_000, 0].map(address))).toEqual([true, true, false]);
  });

  it('counts IPv6 callers by their /64 network, in any notation', async () => {
    const limiter = new FailureLimiter({ limit: 1 });
    expect(await refused(limiter, '2001:db8:0:1::1')).toBe(false);
    expect(await refused(limiter, '2001:db8:0:1:ffff:ffff:ffff:ffff')).toBe(true);
    expect(await refused(limiter, '2001:0DB8:0000:0001:0::2')).toBe(true);
    expect(await refused(limiter, '2001:db8:0:2::1')).toBe(false);
    expect(await refused(limiter, '2001:db8:1:1::1')).toBe(false);
    expect(await refused(limiter, 'fe80::1%eth0')).toBe(false);
    expect(await refused(limiter, 'fe80::2%eth0')).toBe(true);
  });

  it('counts each IPv4 address separately, also when IPv6 maps it', async () => {
    const limiter = new FailureLimiter({ limit: 1 });
    expect(await refused(limiter, '::ffff:192.0.2.1')).toBe(false);
    expect(await refused(limiter, '192.0.2.1')).toBe(true);
    expect(await refused(limiter, '::ffff:c000:201')).toBe(true);
    expect(await refused(limiter, '::ffff:192.0.2.2')).toBe(false);
    expect(await refused(limiter, '192.0.2.3')).toBe(false);
    expect(await refused(limiter, '::1')).toBe(false);
  });

  it('counts callers without an address, whose connection has closed, as one', async () => {
    const limiter = new FailureLimiter({ limit: 1 });
    expect(await refusals(limiter, ['', ''])).toEqual([false, true]);
  });

  it('ends a count one window after the first failure, also after further failures', async () => {
    const limiter = new FailureLimiter({ limit: 1 });
    await limiter.fail('192.0.2.1');
    const waitSeconds = await limiter.fail('192.0.2.1');
    expect(waitSeconds).toBeGreaterThan(30);
    expect(waitSeconds).toBeLessThanOrEqual(60);
    const short = new FailureLimiter({ limit: 1, windowMs: 50 });
    await short.fail('192.0.2.1');
    // Each check is a failure: if it extended the window, the count would never end.
    await eventually(async () => !(await refused(short, '192.0.2.1')));
  });

  it('is off at 0', async () => {
    const limiter = new FailureLimiter({ limit: 0 });
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
    const limiter = new FailureLimiter({ limit: 1, count: async () => Promise.reject(new Error('Away.')) });
    expect(await refusals(limiter, ['192.0.2.1', '192.0.2.1'])).toEqual([false, true]);
  });
});
