import * as fc from 'fast-check';
import { z } from 'zod';
import { describe, expect, it } from '@jest/globals';
import { endpoints } from '../../../../api/endpoints.ts';
import { validate } from '../../../../api/http/request/validate.ts';
import { DomainError } from '../../../../domain/errors.ts';
import { casesOf } from '../../../support/tier.ts';

const schemas = endpoints.map(({ paths, data, example }) => ({ path: paths[0], data, example }));

const hostile = fc.constantFrom<unknown>(
  null,
  true,
  -1,
  1.5,
  '',
  'id',
  'x'.repeat(1_001),
  'a\nb',
  [],
  {},
  [[]],
  [null, 'id', 7, 'id'],
  [{}, { userId: 'u' }, 7, { userId: 7, length: { toString: 1 } }],
  { length: 1, 0: 'id' },
  { length: { toString: 1 } },
  Array.from({ length: 1_001 }, (_, index) => `id-${String(index)}`),
  Array.from({ length: 40 }, (_, index) => (index % 3 === 0 ? 7 : { userId: 'u', _x: index })),
  JSON.parse('{"__proto__":{"a":1},"constructor":2}') as unknown,
);

/** Of the members named `length`, zod compares one and rejects another as unknown. */
const incomparableLengths: [number, unknown][] = [
  [5, null],
  [8, { length: { toString: 1 } }],
  [16, { length: { toString: 1 } }],
];

/** Returns the example with values at any depth replaced, repeated or added. */
function changed(part: unknown, changes: readonly (readonly [number, unknown])[]): unknown {
  let location = 0;
  const walk = (value: unknown): unknown => {
    location += 1;
    const change = changes.find(([at]) => at === location);
    if (change !== undefined) return change[1];
    if (Array.isArray(value)) return [...value, ...value].map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member)]));
  };
  return walk(part);
}

/** The result of a validation: data or refusal. */
async function outcome(
  schema: (typeof schemas)[number]['data'],
  input: unknown,
  large: boolean,
  v1: boolean,
) {
  try {
    return await validate(schema, structuredClone(input), { passOverUnknown: v1, mayNameProto: true, large });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.details;
  }
}

describe('a request on /v1', () => {
  it.each([false, true])(
    'is validated without its unknown members and stays unchanged (large: %s)',
    async (large) => {
      const text =
        '{"id":"a","x":{"y":1},"list":[{"n":1},{"n":2,"x":3}],"within":{"__proto__":{"x":1},"n":4}}';
      const item = z.strictObject({ n: z.int() });
      const schema = z.strictObject({ id: z.string(), list: z.array(item), within: item });
      const sent = JSON.parse(text) as unknown;
      const { data, ignored } = await validate(schema, sent, {
        passOverUnknown: true,
        mayNameProto: true,
        large,
      });
      expect(data).toEqual({ id: 'a', list: [{ n: 1 }, { n: 2 }], within: { n: 4 } });
      expect(ignored.toSorted()).toEqual(['list[1].x', 'within.__proto__', 'x']);
      expect(JSON.stringify(sent)).toBe(text);
    },
  );

  it.each([false, true])(
    'is validated without the unknown members of a list of one that stands for its item (large: %s)',
    async (large) => {
      const only = (sent: unknown): unknown => (Array.isArray(sent) && sent.length === 1 ? sent[0] : sent);
      const inner = z.strictObject({ n: z.int(), open: z.looseObject({}) });
      const schema = z.strictObject({ item: z.preprocess(only, inner) });
      const sent = JSON.parse('{"item":[{"n":1,"x":2,"open":{"__proto__":{},"m":3}}]}') as unknown;
      const options = { passOverUnknown: true, mayNameProto: true, large };
      const { data, ignored } = await validate(schema, sent, options);
      expect(data).toEqual({ item: { n: 1, open: { m: 3 } } });
      expect(ignored.toSorted()).toEqual(['item.open.__proto__', 'item.x']);
    },
  );

  it('keeps the known members among many unknown ones, in each object', async () => {
    const names = Array.from({ length: 5_000 }, (_, at) => `x${String(at)}`);
    const withUnknown = (known: object) => ({
      ...Object.fromEntries(names.map((name) => [name, { n: 1 }])),
      ...known,
    });
    const inner = z.strictObject({ n: z.int() });
    const schema = z.strictObject({ inner, list: z.array(inner) });
    const sent = withUnknown({ inner: withUnknown({ n: 1 }), list: [withUnknown({ n: 2 }), { n: 3 }] });
    const text = JSON.stringify(sent);
    const { data } = await validate(schema, sent, { passOverUnknown: true, mayNameProto: true, large: true });
    expect(data).toEqual({ inner: { n: 1 }, list: [{ n: 2 }, { n: 3 }] });
    expect(JSON.stringify(sent)).toBe(text);
  });

  it('is refused when its unknown members cannot be found', async () => {
    const renamed = z.preprocess((sent) => ({ now: (sent as { before?: unknown }).before }), z.unknown());
    const schema = renamed.pipe(z.strictObject({ now: z.strictObject({}) }));
    const options = { passOverUnknown: true, mayNameProto: false, large: false };
    const refused = validate(schema, { before: { x: 1 } }, options);
    await expect(refused).rejects.toMatchObject({ status: 'INVALID_ARGUMENT' });
  });
});

describe('a large request', () => {
  it.each(schemas)('to $path is validated like a small one', async ({ data, example }) => {
    const changes = fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), hostile), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(changes, fc.boolean(), async (made, v1) => {
        const input = changed(example, made);
        if (typeof input !== 'object' || input === null) return;
        expect(await outcome(data, input, true, v1)).toEqual(await outcome(data, input, false, v1));
      }),
      { numRuns: casesOf(60), examples: [[incomparableLengths, false]] },
    );
  });
});
