import { describe, expect, it } from '@jest/globals';
import { firstOf } from '../../domain/first-of.ts';

describe('firstOf', () => {
  it.each([0, 1, 3, 4, 5])('takes %i of four items and reads at most one more', (max) => {
    let read = 0;
    const items = function* (): Generator<number> {
      for (; read < 4;) yield (read += 1);
    };
    expect(firstOf(items(), max)).toEqual({ taken: [1, 2, 3, 4].slice(0, max), cut: max < 4 });
    expect(read).toBe(Math.min(max + 1, 4));
  });
});
