import { describe, expect, it } from '@jest/globals';
import type { CountedUsage } from '../../../domain/usage/add-usage.ts';
import { UsageMeter, type UsageMeterOptions } from '../../../domain/usage/usage-meter.ts';
import { eventually } from '../../support/eventually.ts';

const hour = 3_600_000;

/** A meter whose writes are recorded in `written`, and its reports. */
function aMeter(options: Partial<UsageMeterOptions> = {}) {
  const written: CountedUsage[][] = [];
  const reported: object[] = [];
  const meter = new UsageMeter({
    write: async (usage) => void written.push([...usage]),
    onFailure: (failure) => reported.push(failure),
    onDropped: (dropped) => reported.push(dropped),
    writeWithinMs: 1_000_000,
    ...options,
  });
  return { meter, written, reported };
}

const seen = (usage: readonly CountedUsage[] = []) =>
  usage.map(({ tenantId, startsAt, counts }) => [tenantId, startsAt / hour, counts.requests]);

describe('the usage meter', () => {
  it('sums the counts of a key and writes all keys at once', async () => {
    const { meter, written } = aMeter({ now: () => 5 * hour + 1 });
    meter.count('1', { requests: 1, bytesIn: 10 });
    meter.count('2', { requests: 1 });
    meter.count('1', { requests: 1, bytesIn: 5 });
    await meter.write();
    expect(seen(written[0])).toEqual([
      ['1', 5, 2],
      ['2', 5, 1],
    ]);
    expect(written[0]?.[0]?.counts).toMatchObject({ bytesIn: 15, bytesOut: 0, documents: 0 });
    await meter.write();
    expect(written).toHaveLength(1);
  });

  it('counts in the hour in which it is called', async () => {
    let now = 5 * hour - 1;
    const { meter, written } = aMeter({ now: () => now });
    meter.count('1', { requests: 1 });
    now += 1;
    meter.count('1', { requests: 2 });
    await meter.write();
    expect(seen(written[0])).toEqual([
      ['1', 4, 1],
      ['1', 5, 2],
    ]);
  });

  it('writes automatically after an interval', async () => {
    const { meter, written } = aMeter({ writeWithinMs: 1, now: () => 0 });
    meter.count('1', { requests: 1 });
    await eventually(() => written.length === 1);
    meter.count('1', { requests: 2 });
    await eventually(() => written.length === 2);
    expect(written.map(seen)).toEqual([[['1', 0, 1]], [['1', 0, 2]]]);
  });

  it('writes at once when it has counts of 1,000 keys', async () => {
    const { meter, written } = aMeter();
    for (let key = 0; key < 1_000; key += 1) meter.count(String(key), { requests: 1 });
    await eventually(() => written.length === 1);
    expect(written[0]).toHaveLength(1_000);
  });

  it('keeps the counts of a write that fails, and reports the first failure of several', async () => {
    let failing = true;
    const written: CountedUsage[][] = [];
    const { meter, reported } = aMeter({
      now: () => 0,
      write: async (usage) => {
        if (failing) throw new Error('no database');
        written.push([...usage]);
      },
    });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      meter.count('1', { requests: 1 });
      await meter.write();
    }
    expect(reported).toEqual([{ reason: 'no database' }]);
    failing = false;
    await meter.write();
    expect(written.map(seen)).toEqual([[['1', 0, 3]]]);
  });

  it('keeps at most 10,000 keys while writes fail, and reports dropped counts once they succeed', async () => {
    let failing = true;
    const sizes: number[] = [];
    const { meter, reported } = aMeter({
      write: async ({ length }) => {
        if (failing) throw new Error('no database');
        sizes.push(length);
      },
    });
    meter.count('first', { requests: 1 });
    await meter.write();
    for (let key = 0; key < 10_004; key += 1) meter.count(String(key), { requests: 1 });
    failing = false;
    await meter.write();
    expect(sizes).toEqual([10_000]);
    expect(reported).toEqual([{ reason: 'no database' }, { counts: 5 }]);
  });

  it('runs one write at a time', async () => {
    let running = 0;
    let peak = 0;
    const ends: (() => void)[] = [];
    const { meter } = aMeter({
      write: async () => {
        running += 1;
        peak = Math.max(peak, running);
        await new Promise<void>((end) => ends.push(end));
        running -= 1;
      },
    });
    meter.count('1', { requests: 1 });
    const first = meter.write();
    await eventually(() => ends.length === 1);
    meter.count('1', { requests: 1 });
    const second = [meter.write(), meter.write()];
    ends[0]?.();
    await first;
    await eventually(() => ends.length === 2);
    ends[1]?.();
    await Promise.all(second);
    expect([peak, ends.length]).toEqual([1, 2]);
  });
});
