import { describe, expect, it } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import { openApiDocument } from '../../api/openapi/document.ts';

type Json = Readonly<Record<string, unknown>>;

const document: Json = openApiDocument(endpoints, '1.2.3');

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Resolves the target of a reference within the document. */
const targetOf = (reference: string): unknown =>
  reference
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((part, name) => (isObject(part) ? part[name] : undefined), document);

function isDescribed(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  if (typeof schema['description'] === 'string' && schema['description'] !== '') return true;
  return typeof schema['$ref'] === 'string' && isDescribed(targetOf(schema['$ref']));
}

/** Schemas whose own subschemas are the members of the same value. */
const parts = ['allOf', 'anyOf', 'oneOf', 'items', 'additionalProperties', 'prefixItems'];

/** Returns the paths of the members below a schema that have no description. Follows references once. */
function undescribed(schema: unknown, path: string, followed: ReadonlySet<string> = new Set()): string[] {
  if (Array.isArray(schema)) return schema.flatMap((part) => undescribed(part, path, followed));
  if (!isObject(schema)) return [];
  const reference = schema['$ref'];
  if (typeof reference === 'string' && !followed.has(reference))
    return undescribed(targetOf(reference), path, new Set([...followed, reference]));
  const members = Object.entries((schema['properties'] ?? {}) as Json).flatMap(([name, member]) => [
    // A rule between members names a member without describing it again.
    ...(isDescribed(member) || isRule(schema) ? [] : [`${path}.${name}`]),
    ...undescribed(member, `${path}.${name}`, followed),
  ]);
  return [...members, ...parts.flatMap((part) => undescribed(schema[part], path, followed))];
}

/** Rules between members are fragments without a type. */
const isRule = (schema: Json): boolean => schema['type'] === undefined;

const contents = (part: unknown): unknown[] =>
  Object.values((part as { readonly content?: Json }).content ?? {}).map(
    (content) => (content as { readonly schema: unknown }).schema,
  );

const operations = Object.entries(
  document['paths'] as Record<string, Readonly<Record<string, Json>>>,
).flatMap(([path, item]) => Object.values(item).map((operation) => ({ path, operation })));

const requests = operations.flatMap(({ path, operation }) =>
  contents(operation['requestBody'] ?? {}).flatMap((schema) => undescribed(schema, path)),
);
const responses = operations.flatMap(({ path, operation }) =>
  Object.entries(operation['responses'] as Json)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => contents(response).flatMap((schema) => undescribed(schema, path))),
);

describe('the OpenAPI document', () => {
  it('describes every operation', () => {
    const missing = operations.filter(({ operation }) => typeof operation['description'] !== 'string');
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  it('describes every member of a request', () => {
    expect(requests).toEqual([]);
  });

  it('describes every member of a response', () => {
    expect(responses).toEqual([]);
  });
});
