import { describe, expect, it } from '@jest/globals';
import { Ledger } from './ledger.ts';
import { reportOf, type SoakRun } from './report.ts';
import { growthAtTheEnd, growthOf, type Sample } from './samples.ts';

const hourMs = 3_600_000;

/** One sample per minute for an hour. */
const samplesOf = (megabytesAt: (minute: number) => number, measure = 'API, resident MB'): Sample[] =>
  Array.from({ length: 60 }, (_, minute) => ({
    atMs: minute * 60_000,
    values: { [measure]: megabytesAt(minute) },
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

  it('reports memory that grows by more than 5 % in the last 20 minutes', () => {
    const measure = 'worker-1, resident MB';
    const growth = (megabytesAt: (minute: number) => number) =>
      growthAtTheEnd(samplesOf(megabytesAt, measure), measure, hourMs);
    expect(growth((minute) => 200 + minute)).toBe(
      'worker-1, resident MB grew from 241 to 259 in the last 20 minutes',
    );
    expect(growth((minute) => 200 + minute / 4)).toBeUndefined();
    expect(growth((minute) => (minute < 40 ? minute * 10 : 400))).toBeUndefined();
  });
});
