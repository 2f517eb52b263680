import { describe, expect, it } from '@jest/globals';
import { FailureLimiter } from '../../../../api/http/caller/failure-limiter.ts';
import { eventually } from '../../../support/eventually.ts';

describe('the limiter of failed credentials', () => {
  /** Returns whether a failure exceeds the limit. */
  const refused = (limiter: FailureLimiter, address: string) => limiter.fail(address) > 0;

  it('evicts only the caller whose last failure is the oldest', () => {
    const limiter = new FailureLimiter(1, { maxCallers: 3 });
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.1']) limiter.fail(address);
    limiter.fail('192.0.2.4');
    const again = ['192.0.2.1', '192.0.2.3', '192.0.2.4', '192.0.2.2'];
    expect(again.map((address) => refused(limiter, address))).toEqual([true, true, true, false]);
  });

  it('remembers 20,000 callers, and evicts the oldest of 20,001', () => {
    const limiter = new FailureLimiter(1);
    const address = (number: number) => `10.0.${String(number >> 8)}.${String(number & 255)}`;
    for (let number = 0; number < 20_001; number += 1) limiter.fail(address(number));
    expect([1, 20_000, 0].map((number) => refused(limiter, address(number)))).toEqual([true, true, false]);
  });

  it('counts IPv6 callers by their /64 network, in any notation', () => {
    const limiter = new FailureLimiter(1);
    expect(refused(limiter, '2001:db8:0:1::1')).toBe(false);
    expect(refused(limiter, '2001:db8:0:1:ffff:ffff:ffff:ffff')).toBe(true);
    expect(refused(limiter, '2001:0DB8:0000:0001:0::2')).toBe(true);
    expect(refused(limiter, '2001:db8:0:2::1')).toBe(false);
    expect(refused(limiter, '2001:db8:1:1::1')).toBe(false);
    expect(refused(limiter, 'fe80::1%eth0')).toBe(false);
    expect(refused(limiter, 'fe80::2%eth0')).toBe(true);
  });

  it('counts each IPv4 address separately, also when IPv6 maps it', () => {
    const limiter = new FailureLimiter(1);
    expect(refused(limiter, '::ffff:192.0.2.1')).toBe(false);
    expect(refused(limiter, '192.0.2.1')).toBe(true);
    expect(refused(limiter, '::ffff:c000:201')).toBe(true);
    expect(refused(limiter, '::ffff:192.0.2.2')).toBe(false);
    expect(refused(limiter, '192.0.2.3')).toBe(false);
    expect(refused(limiter, '::1')).toBe(false);
  });

  it('counts callers without an address, whose connection has closed, as one', () => {
    const limiter = new FailureLimiter(1);
    expect([refused(limiter, ''), refused(limiter, '')]).toEqual([false, true]);
  });

  it('ends a count one window after the first failure, also after further failures', async () => {
    const limiter = new FailureLimiter(1);
    limiter.fail('192.0.2.1');
    const waitSeconds = limiter.fail('192.0.2.1');
    expect(waitSeconds).toBeGreaterThan(30);
    expect(waitSeconds).toBeLessThanOrEqual(60);
    const short = new FailureLimiter(1, { windowMs: 50 });
    short.fail('192.0.2.1');
    // Each check is a failure: if it extended the window, the count would never end.
    await eventually(() => !refused(short, '192.0.2.1'));
  });

  it('is off at 0', () => {
    const limiter = new FailureLimiter(0);
    expect([refused(limiter, '192.0.2.1'), refused(limiter, '192.0.2.1')]).toEqual([false, false]);
  });
});
