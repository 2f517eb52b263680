import { describe, expect, it } from '@jest/globals';
import { leadingWithin } from '../../domain/leading-within.ts';

describe('leadingWithin', () => {
  it.each([
    [[], 10, []],
    [[4, 6, 1], 10, [4, 6]],
    [[4, 6], 10, [4, 6]],
    [[11, 0, 1], 10, [11]],
    [[0, 11], 10, [0]],
  ])('takes of the sizes %j up to %i together', (sizes, max, taken) => {
    expect(leadingWithin(sizes, max, (size) => size)).toEqual(taken);
  });
});
