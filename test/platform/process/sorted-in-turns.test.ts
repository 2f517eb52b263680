import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { atOnce } from '../../../platform/process/in-turns.ts';
import { sortedInTurns } from '../../../platform/process/sorted-in-turns.ts';

describe('names that are sorted in turns', () => {
  it('have the order of Array.prototype.sort', () => {
    const name = fc.oneof(fc.string({ unit: 'binary', maxLength: 3 }), fc.nat(9).map(String));
    fc.assert(
      fc.property(fc.array(name, { maxLength: 50 }), fc.integer({ min: 1, max: 120 }), (names, repeated) => {
        const many = Array.from({ length: repeated }, (_, index) =>
          names.map((it) => it + String(index % 7)),
        ).flat();
        expect(atOnce(sortedInTurns(many))).toEqual(many.toSorted());
      }),
    );
  });

  it('pause often', () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `name ${String((index * 7_919) % 100_000)}`);
    const work = sortedInTurns(names);
    let pauses = 0;
    while (work.next().done !== true) pauses += 1;
    // 100 runs, and 7 merges of all of them.
    expect(pauses).toBeGreaterThan(600);
  });
});
