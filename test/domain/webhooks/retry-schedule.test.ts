import { describe, expect, it } from '@jest/globals';
import { receiverDelayMs, retryWait } from '../../../domain/webhooks/delivery/retry-schedule.ts';

const day = 86_400_000;
const schedule = [0, 5_000, 300_000];
const failed = { endless: false };

describe('the delay of the next attempt', () => {
  it('follows the schedule with a jitter of at most 10 %', () => {
    const waits = Array.from({ length: 200 }, () => retryWait(schedule, { ...failed, step: 1 }) ?? 0);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(4_500);
    expect(Math.max(...waits)).toBeLessThanOrEqual(5_500);
    expect(new Set(waits).size).toBeGreaterThan(100);
  });

  it('is undefined after the schedule, unless the last delay repeats', () => {
    expect(retryWait(schedule, { ...failed, step: 3 })).toBeUndefined();
    expect(retryWait(schedule, { ...failed, step: 9, endless: true })).toBeGreaterThan(250_000);
  });
});

describe('Retry-After of a receiver', () => {
  it('is limited to one day', () => {
    const now = Date.UTC(2026, 10, 21, 10);
    expect(receiverDelayMs('120', now)).toBe(120_000);
    expect(receiverDelayMs('864000', now)).toBe(day);
    expect(receiverDelayMs('Sat, 28 Nov 2026 10:00:00 GMT', now)).toBe(day);
    expect(receiverDelayMs('soon', now)).toBeUndefined();
  });
});
