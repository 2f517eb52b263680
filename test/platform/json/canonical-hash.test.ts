import { describe, expect, it } from '@jest/globals';
import { assert, jsonValue, property } from 'fast-check';
import { sha256 } from '../../../platform/encryption/tokens.ts';
import { canonicalHash, canonicalJson } from '../../../platform/json/canonical-hash.ts';
import { atOnce } from '../../../platform/process/in-turns.ts';
import { reversedMembers } from '../../support/reversed-members.ts';

const parsed = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the canonical JSON of a value', () => {
  it('is the same for any order of its members', () => {
    assert(
      property(jsonValue(), (value) => {
        expect(canonicalJson(reversedMembers(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('has every member, and lists in their order', () => {
    assert(
      property(jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(parsed(value));
      }),
    );
    expect(canonicalJson(JSON.parse('{"__proto__":{"b":1,"a":[2,1]},"B":2,"10":3,"9":4}'))).toBe(
      '{"9":4,"10":3,"B":2,"__proto__":{"a":[2,1],"b":1}}',
    );
  });

  it('omits members that are undefined', () => {
    expect(canonicalJson({ b: undefined, a: [undefined] })).toBe('{"a":[null]}');
  });

  it('has the same hash at once and in turns', () => {
    assert(
      property(jsonValue(), (value) => {
        expect(atOnce(canonicalHash(value))).toEqual(sha256(canonicalJson(value)));
      }),
    );
  });
});
