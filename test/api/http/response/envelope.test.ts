import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { check, ResponseMismatch } from '../../../../api/http/response/envelope.ts';

const item = z.strictObject({ id: z.string(), count: z.int().optional() });

const tree = z.looseObject({
  id: z.string(),
  get below() {
    return z.array(tree).optional();
  },
});

const ranged = z
  .strictObject({ from: z.number(), to: z.number() })
  .refine(({ from, to }) => from <= to, { when: ({ value }) => value !== null });

/** The first check of a schema compiles it; later ones use the compiled schema. */
const accept = (schema: z.ZodType, value: unknown): void => {
  for (const _ of [1, 2]) check('/v2/x', schema, value);
};

const refuse = (schema: z.ZodType, value: unknown, where: string): void => {
  for (const _ of [1, 2])
    expect(() => {
      check('/v2/x', schema, value);
    }).toThrow(new RegExp(`^response of /v2/x does not match its schema: ${where}$`));
};

describe('the check of a response', () => {
  it('accepts a value of the schema and leaves it unchanged', () => {
    const value = Object.freeze({ id: 'a', count: 1 });
    accept(item, value);
    accept(item, { id: 'a', count: undefined });
    expect(value).toEqual({ id: 'a', count: 1 });
  });

  it('names members and rules of a mismatch, and no values', () => {
    refuse(item, { id: 7 }, 'id: invalid_type');
    refuse(item, { id: 'a', count: 1.5 }, 'count: invalid_type');
    refuse(item, { id: 'a', secret: 'b' }, ': unrecognized_keys');
    refuse(z.array(item), [{ id: 'a' }, { id: 'a', count: '1' }], '1.count: invalid_type');
    expect(() => {
      check('/v2/x', item, null);
    }).toThrow(ResponseMismatch);
  });

  it('works for a schema that cannot be compiled', () => {
    accept(tree, { id: 'a', below: [{ id: 'b', below: [{ id: 'c', more: 1 }] }] });
    refuse(tree, { id: 'a', below: [{ id: 'b', below: [{ id: 1 }] }] }, 'below.0.below.0.id: invalid_type');
    accept(ranged, { from: 1, to: 2 });
    refuse(ranged, { from: 2, to: 1 }, ': custom');
  });
});
