import { describe, expect, it } from '@jest/globals';
import { clockFinding, serverFinding } from '../../cli/doctor/check-database.ts';
import { spaceFinding } from '../../cli/doctor/check-disk.ts';
import { attributesFinding } from '../../cli/doctor/check-temporal.ts';
import { searchAttributes } from '../../workflows/contract.ts';

/*
 * Findings that a test cannot cause on a real machine: of its clock, its disk, and the search attributes of the shared
 * Temporal.
 */

const lineOf = ({ level, text }: { readonly level: string; readonly text: string }): string =>
  `${level}: ${text}`;

describe('doctor', () => {
  it.each([
    [0, 'ok: The clocks of this machine and of PostgreSQL agree within 1 s.'],
    [-999, 'ok: The clocks of this machine and of PostgreSQL agree within 1 s.'],
    [1_500, 'warning: The clock of PostgreSQL differs by 1.5 s: synchronize both with NTP.'],
    [-45_000, 'serious: The clock of PostgreSQL differs by 45.0 s: synchronize both with NTP.'],
  ])('judges a difference of %i ms between the clocks', (skewMs, expected) => {
    expect(lineOf(clockFinding(skewMs))).toBe(expected);
  });

  it.each([
    ['14.9', 140_009, 'UTF8', 'serious: PostgreSQL is 14.9 and must be 15 or later.'],
    ['18.4', 180_004, 'UTF8', 'ok: PostgreSQL 18.4 responds.'],
    [
      '18.4',
      180_004,
      'LATIN1',
      'serious: The encoding of the database is LATIN1: move the data to a database with UTF8.',
    ],
  ])('judges PostgreSQL %s (%i) with encoding %s', (version, versionNumber, encoding, expected) => {
    expect(lineOf(serverFinding({ version, versionNumber, encoding }))).toBe(expected);
  });

  it.each([
    [5 * 1_024 ** 3, 'ok: The disk of the data folder has 5.0 GiB left.'],
    [512 * 1_024 ** 2, 'warning: The disk of the data folder has only 0.5 GiB left: free some space.'],
  ])('judges a disk with %i bytes left', (bytes, expected) => {
    expect(lineOf(spaceFinding(bytes))).toBe(expected);
  });

  it('lists the search attributes that are missing or have another type', () => {
    const of = (keywords: readonly string[], others: readonly string[] = []) =>
      lineOf(attributesFinding({ keywords: new Set(keywords), others: new Set(others) }));
    const [first = '', second = '', ...rest] = Object.values(searchAttributes);
    expect(of([first, second, ...rest])).toBe('ok: Every search attribute is registered.');
    expect(of(rest)).toBe(
      `warning: Search attributes are not registered (${first}, ${second}): start a worker, or register them as docs/finding-workflows.md shows.`,
    );
    expect(of(rest, [second])).toBe(
      `warning: Search attributes are not of type Keyword (${second}): remove them, and a worker registers them within a minute; or use another namespace.`,
    );
  });
});
