import type { z } from 'zod';
import { describe, expect, it } from '@jest/globals';
import { endpoints } from '../../../../api/endpoints.ts';
import { validateItems } from '../../../../api/http/request/validate-items.ts';
import { atOnce } from '../../../../platform/process/in-turns.ts';

/* Generated from the registry: covers every list of a request. */

/** The members of a zod schema that this test reads. */
interface Definition {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly catchall?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly checks?: readonly z.core.$ZodCheck[];
}
const definitionOf = (schema: z.ZodType): Definition => schema._zod.def;

interface RequestList {
  readonly schema: z.ZodType;
  /** The members on the way to the list; `[]` stands for an item of a list. */
  readonly steps: readonly string[];
}

function listsOf(schema: z.ZodType, steps: readonly string[] = []): RequestList[] {
  const {
    shape = {},
    catchall,
    valueType,
    element,
    innerType,
    in: sent,
    out,
    options = [],
  } = definitionOf(schema);
  const same = [innerType, sent, out, ...options].filter((inner) => inner !== undefined);
  const others = [catchall, valueType].filter((inner) => inner !== undefined);
  return [
    ...(element === undefined ? [] : [{ schema, steps }, ...listsOf(element, [...steps, '[]'])]),
    ...Object.entries(shape).flatMap(([name, member]) => listsOf(member, [...steps, name])),
    ...others.flatMap((inner) => listsOf(inner, [...steps, 'any'])),
    ...same.flatMap((inner) => listsOf(inner, steps)),
  ];
}

/** Returns data with `list` at these steps. */
function dataWith(list: readonly unknown[], [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return list;
  const below = dataWith(list, rest);
  return step === '[]' ? [below] : { [step]: below };
}

/** Zod validates no item of a list that is longer than this check allows. */
const hasMax = (schema: z.ZodType): boolean =>
  (definitionOf(schema).checks ?? []).some(({ _zod }) => _zod.def.check === 'max_length');

/** Lists that are cut before their items are validated. */
const cutLists = new Set(['filters.[].value']);

describe('a list of any length in a request', () => {
  const lists = endpoints.flatMap(({ paths, data }) =>
    listsOf(data).map((list) => ({ ...list, data, path: paths[0], name: list.steps.join('.') })),
  );

  it('is validated item by item, so that other requests are served between two items', () => {
    const atOnceOnly = lists.filter(({ schema, data, steps, name }) => {
      const list = [null];
      return (
        !atOnce(validateItems(data, dataWith(list, steps))).has(list) &&
        !hasMax(schema) &&
        !cutLists.has(name)
      );
    });
    expect(atOnceOnly.map(({ path, name }) => `${path} ${name}`)).toEqual([]);
    expect(lists.length).toBeGreaterThan(100);
    for (const name of cutLists) expect(lists.map((list) => list.name)).toContain(name);
  });
});
