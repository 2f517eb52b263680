import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../bench/random.ts';
import { Ledger } from './ledger.ts';
import { reportOf, type SoakRun } from './report.ts';
import { growthAtTheEnd, growthOf, type Sample } from './samples.ts';

const hourMs = 3_600_000;

/** One sample per minute for an hour. */
const samplesOf = (megabytesAt: (minute: number) => number): Sample[] =>
  Array.from({ length: 60 }, (_, minute) => ({
    atMs: minute * 60_000,
    values: { 'API, resident MB': megabytesAt(minute) },
  }));

const runWith = (ledger: Ledger, samples: readonly Sample[] = []): SoakRun => ({
  seed: 7,
  began: new Date(0),
  durationMs: hourMs,
  notes: ['Kills: on.'],
  outages: [{ what: 'postgres', at: 1_000, downMs: 2_000 }],
  samples,
  grown: new Set(),
  ledger,
  events: { received: 10, again: 1 },
  errors: new Map(),
});

describe('the report of a soak', () => {
  it('contains the seed, and no violation when every check passed', () => {
    const ledger = new Ledger();
    ledger.check('a list shows no record twice', true, () => 'not called');
    const report = reportOf(runWith(ledger));
    expect(report).toContain('**Nothing was violated.**');
    expect(report).toContain('--seed 7');
    expect(report).toContain('| a list shows no record twice | 1 |');
  });

  it('lists each failed check with its observation', () => {
    const ledger = new Ledger();
    ledger.check('every acknowledged activity is stored', false, () => '1 in lasting-0, e.g. 0-17');
    expect(ledger.violationCount).toBe(1);
    const report = reportOf(runWith(ledger));
    expect(report).toContain('**1 violations**');
    expect(report).toContain('every acknowledged activity is stored: 1 in lasting-0, e.g. 0-17');
  });

  it('reports growing memory, but not constant memory or memory that a restart released', () => {
    const measure = 'API, resident MB';
    expect(
      growthOf(
        samplesOf((minute) => 200 + minute * 5),
        measure,
        hourMs,
      ),
    ).toMatch(/^API, .* grew from/);
    expect(
      growthOf(
        samplesOf(() => 300),
        measure,
        hourMs,
      ),
    ).toBeUndefined();
    expect(
      growthOf(
        samplesOf((minute) => (minute < 30 ? 300 : 200)),
        measure,
        hourMs,
      ),
    ).toBeUndefined();
  });

  describe('at the end of half an hour', () => {
    const measure = 'worker-1, resident MB';
    const minuteMs = 60_000;
    /** Samples every 5 s for 30 minutes. */
    const growth = (megabytesAt: (minute: number) => number) =>
      growthAtTheEnd(
        Array.from({ length: 360 }, (_, index) => ({
          atMs: index * 5_000,
          values: { [measure]: megabytesAt((index * 5_000) / minuteMs) },
        })),
        measure,
        30 * minuteMs,
      );
    /** Grows linearly by this share in the last 20 minutes. */
    const leak = (share: number) => (minute: number) => 300 * (1 + (share * (minute - 10)) / 20);
    /** Swings by 10 % like memory between garbage collections. */
    const sawtooth =
      (periodMinutes: number, phase = 0) =>
      (minute: number) =>
        0.95 + 0.1 * ((minute / periodMinutes + phase) % 1);

    it('reports memory that grows by more than 5 % in the last 20 minutes', () => {
      expect(growth(leak(0.06))).toBe(
        'worker-1, resident MB grew from 302 to 316 between the first and the last 5 of the last 20 minutes',
      );
      expect(growth(leak(0.04))).toBeUndefined();
      expect(growth((minute) => (minute < 10 ? minute * 40 : 400))).toBeUndefined();
    });

    it.each([0.3, 1, 2.3, 5, 7])(
      'does not report memory that swings by 10 % every %d minutes, unless it also grows',
      (periodMinutes) => {
        for (const phase of [0, 0.25, 0.5, 0.75]) {
          const swing = sawtooth(periodMinutes, phase);
          expect(growth((minute) => 300 * swing(minute))).toBeUndefined();
          expect(growth((minute) => leak(0.12)(minute) * swing(minute))).toContain('grew');
        }
      },
    );

    it('reports connections that accumulate, but not those of bursts', () => {
      const connections = (at: (minute: number) => number) =>
        growthAtTheEnd(
          Array.from({ length: 30 }, (_, minute) => ({
            atMs: minute * minuteMs,
            values: { 'PostgreSQL, connections': at(minute) },
          })),
          'PostgreSQL, connections',
          30 * minuteMs,
        );
      expect(connections((minute) => 25 + ((minute * 7) % 19))).toBeUndefined();
      expect(connections((minute) => 25 + minute)).toContain('grew from 39 in the first half to 54');
    });

    it('does not report memory that swings by 10 % at random', () => {
      const random = seededRandom(7);
      for (let run = 0; run < 100; run += 1)
        expect(growth(() => 300 * (0.95 + 0.1 * random()))).toBeUndefined();
    });
  });
});
