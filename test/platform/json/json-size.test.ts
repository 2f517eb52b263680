import { describe, expect, it } from '@jest/globals';
import { assert, double, integer, jsonValue, property } from 'fast-check';
import { asJsonb, isLargerThan } from '../../../platform/json/json-size.ts';

describe('the size of a value', () => {
  it('equals the size of its JSON text for any value', () => {
    assert(
      property(jsonValue(), integer({ min: 0, max: 400 }), (value, limit) => {
        expect(isLargerThan(limit, value)).toBe(Buffer.byteLength(JSON.stringify(value)) > limit);
      }),
    );
  });

  it('counts a number of a jsonb with at least the digits of its decimal notation', () => {
    assert(
      property(double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const [digits = '', exponent = '0'] = String(Math.abs(value)).replace('.', '').split('e');
        const shift = Number(exponent);
        const zeros = shift < 0 ? -shift : Math.max(shift + 1 - digits.length, 0);
        expect(asJsonb(value)).toBeGreaterThanOrEqual(digits.length + zeros + (value < 0 ? 1 : 0));
      }),
    );
    expect(asJsonb(-12.5)).toBe(5);
    expect(asJsonb(1e300)).toBeGreaterThanOrEqual(301);
    expect(asJsonb(-1.5e-7)).toBeGreaterThanOrEqual('-0.00000015'.length);
  });
});
