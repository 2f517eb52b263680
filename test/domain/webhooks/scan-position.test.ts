import { describe, expect, it } from '@jest/globals';
import {
  initialScan,
  scanFrom,
  scanned,
  type ScanPosition,
} from '../../../domain/webhooks/delivery/scan-position.ts';

/** Polls every 100 ms. Each poll takes `tookMs` and reads up to the time at which it begins. */
function polls(count: number, tookMs: number) {
  let scan: ScanPosition<number> = initialScan;
  return Array.from({ length: count }, (_, n) => {
    const startedAt = 1_000 + n * 100;
    const from = scanFrom(scan, startedAt);
    scan = scanned(scan, { from, last: startedAt, startedAt, endedAt: startedAt + tookMs });
    return { startedAt, from };
  });
}

describe('the position of polls', () => {
  it('is the beginning of the index in the first poll and while full scans are fast', () => {
    expect(polls(100, 1).map(({ from }) => from)).toEqual(Array(100).fill(undefined));
  });

  it('is the time that was reached 1 to 2.2 s ago while full scans are slow', () => {
    const positioned = polls(200, 90).filter(({ from }) => from !== undefined);
    expect(positioned.length).toBeGreaterThan(100);
    for (const { startedAt, from } of positioned) {
      expect(startedAt - (from ?? 0)).toBeGreaterThanOrEqual(1_000);
      expect(startedAt - (from ?? 0)).toBeLessThanOrEqual(2_200);
    }
  });

  it('returns to the beginning after 20 times the duration of a full scan, at most after 3 s', () => {
    const gaps = (tookMs: number): number[] => {
      const whole = polls(400, tookMs).filter(
        ({ from, startedAt }) => from === undefined && startedAt > 5_000,
      );
      return whole.slice(1).map(({ startedAt }, n) => startedAt - (whole[n]?.startedAt ?? 0));
    };
    expect(new Set(gaps(40))).toEqual(new Set([900]));
    expect(new Set(gaps(5_000))).toEqual(new Set([8_000]));
  });

  it('does not move while polls find nothing', () => {
    const reached = scanned(initialScan as ScanPosition<number>, {
      from: undefined,
      last: 7,
      startedAt: 1_000,
      endedAt: 2_000,
    });
    const idle = scanned(reached, { from: 7, last: undefined, startedAt: 9_000, endedAt: 9_001 });
    expect(idle).toEqual(reached);
  });
});
