import { expect, it } from '@jest/globals';
import type { z } from 'zod';
import { objectsOf, operations, resolved, sent, validator, type Json } from './openapi-schemas.ts';

/** Names of members, and `[]` for the item of a list. */
type Location = readonly string[];

/** Objects below `schema` whose members have rules. */
function ruledObjects(schema: Json, location: Location = []): [Location, Json][] {
  const found = resolved(schema);
  const own: [Location, Json][] =
    location.length > 0 && found['allOf'] !== undefined ? [[location, found]] : [];
  const below = Object.entries(found['properties'] ?? {}).flatMap(([name, member]) =>
    ruledObjects(member as Json, [...location, name]),
  );
  const items = found['items'] === undefined ? [] : ruledObjects(found['items'] as Json, [...location, '[]']);
  return [...own, ...below, ...items];
}

/** A value with required members alone. All texts are equal. */
function smallest(schema: Json): unknown {
  const { const: only, enum: values, type, minimum, items, required, properties, anyOf } = resolved(schema);
  if (only !== undefined) return only;
  if (Array.isArray(values)) return values[0];
  if (Array.isArray(anyOf)) return smallest(anyOf[0] as Json);
  if (type === 'object') {
    const names = (required ?? []) as string[];
    return Object.fromEntries(
      names.map((name) => [name, smallest((properties as Record<string, Json>)[name] ?? {})]),
    );
  }
  if (type === 'array') return [smallest(items as Json)];
  if (type === 'integer' || type === 'number') return Math.max(1, Number(minimum ?? 1));
  return type === 'boolean' ? true : 'text';
}

/** Replaces the lists and objects in an object by valid ones. */
function withValidParts({ properties }: Json, value: Json): Json {
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    typeof member === 'object' ? smallest((properties as Record<string, Json>)[name] ?? {}) : member,
  ]);
  return Object.fromEntries(entries);
}

/** Data with `value` at a location, and else with required members alone. */
function dataWith(schema: Json, [name, ...below]: Location, value: Json): unknown {
  if (name === undefined) return value;
  const { items, properties } = resolved(schema);
  if (name === '[]') return [dataWith(items as Json, below, value)];
  const member = (properties as Record<string, Json>)[name] ?? {};
  return { ...(smallest(schema) as Json), [name]: dataWith(member, below, value) };
}

/** Rules that JSON Schema cannot express. */
const unstated: ReadonlySet<string> = new Set(['<m> must equal id.']);

function isAccepted(data: z.ZodType, value: unknown): boolean {
  const { error } = data.safeParse(structuredClone(value));
  return error === undefined || error.issues.every(({ message }) => unstated.has(message));
}

it('the rules between members of nested objects are stated as they are enforced, for any combination', () => {
  const wrong: object[] = [];
  const outcomes = new Map<string, Set<boolean>>();
  for (const { path, endpoint } of operations) {
    const schema = sent(path);
    const accepts = validator(schema);
    for (const [location, ruled] of ruledObjects(schema)) {
      for (const value of objectsOf(ruled, smallest(ruled) as Json)) {
        const data = dataWith(schema, location, withValidParts(ruled, value));
        const accepted = isAccepted(endpoint.data, data);
        if (accepts(data) !== accepted) wrong.push({ path, data: JSON.stringify(data), accepted });
        const rules = JSON.stringify(ruled['allOf']);
        outcomes.set(rules, (outcomes.get(rules) ?? new Set()).add(accepted));
      }
    }
  }
  expect(wrong.slice(0, 5)).toEqual([]);
  const untested = [...outcomes].filter(
    ([rules, found]) => found.size < 2 && /required|properties/.test(rules),
  );
  expect(untested).toEqual([]);
  const walked = [...outcomes.keys()].join(' ');
  for (const description of [
    'organizationId is required for a folder and a document.',
    'userIds is required for the type restricted.',
    'agentName is required for the agentSource external.',
    'value must be a list of 1 to 30 values for the operators',
  ])
    expect(walked).toContain(description);
});
