import { describe, expect, it } from '@jest/globals';
import { assert, integer, jsonValue, property } from 'fast-check';
import { isLargerThan } from '../../../platform/json/json-size.ts';

describe('the size of a value', () => {
  it('equals the size of its JSON text for any value', () => {
    assert(
      property(jsonValue(), integer({ min: 0, max: 400 }), (value, limit) => {
        expect(isLargerThan(limit, value)).toBe(Buffer.byteLength(JSON.stringify(value)) > limit);
      }),
    );
  });
});
