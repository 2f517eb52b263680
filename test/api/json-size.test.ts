import { describe, expect, it } from '@jest/globals';
import { assert, integer, jsonValue, property } from 'fast-check';
import { isLargerThan } from '../../api/json-size.ts';

describe('the size of a value', () => {
  it('is told as if it had been written, whatever the value', () => {
    assert(
      property(jsonValue(), integer({ min: 0, max: 400 }), (value, limit) => {
        expect(isLargerThan(limit, value)).toBe(Buffer.byteLength(JSON.stringify(value)) > limit);
      }),
    );
  });
});
