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

interface Member {
  readonly path: string;
  readonly name: string;
  readonly schema: unknown;
}

/** Returns the members below a schema. Follows references once. */
function membersOf(schema: unknown, path: string, followed: ReadonlySet<string> = new Set()): Member[] {
  if (Array.isArray(schema)) return schema.flatMap((part) => membersOf(part, path, followed));
  if (!isObject(schema)) return [];
  const reference = schema['$ref'];
  if (typeof reference === 'string' && !followed.has(reference))
    return membersOf(targetOf(reference), path, new Set([...followed, reference]));
  const own = Object.entries((schema['properties'] ?? {}) as Json).flatMap(([name, member]) => [
    // A rule between members names a member without describing it again.
    ...(isRule(schema) ? [] : [{ path: `${path}.${name}`, name, schema: member }]),
    ...membersOf(member, `${path}.${name}`, followed),
  ]);
  return [...own, ...parts.flatMap((part) => membersOf(schema[part], path, followed))];
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

const membersOfContents = (part: unknown, path: string): Member[] =>
  contents(part).flatMap((schema) => membersOf(schema, path));

const requests = operations.flatMap(({ path, operation }) =>
  membersOfContents(operation['requestBody'] ?? {}, path),
);
const responses = operations.flatMap(({ path, operation }) =>
  Object.entries(operation['responses'] as Json)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => membersOfContents(response, path)),
);
const webhooks = Object.entries(
  document['webhooks'] as Record<string, { readonly post: { readonly requestBody: Json } }>,
).flatMap(([name, { post }]) => membersOfContents(post.requestBody, name));

const undescribed = (members: readonly Member[]): string[] =>
  members.filter(({ schema }) => !isDescribed(schema)).map(({ path }) => path);

/** Whether a member is a number whose name shows that it is a time. */
const isTime = ({ name, schema }: Member): boolean =>
  isObject(schema) &&
  /At$|^(?:from|to|since|timestamp|lastUpdated)$|Before$|After$/.test(name) &&
  /"(?:integer|number)"/.test(JSON.stringify(schema['type'] ?? schema['anyOf'] ?? ''));

describe('the OpenAPI document', () => {
  it('describes every operation', () => {
    const missing = operations.filter(({ operation }) => typeof operation['description'] !== 'string');
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  it.each([
    ['a request', requests],
    ['a response', responses],
    ['a webhook', webhooks],
  ])('describes every member of %s', (_of, members) => {
    expect(members.length).toBeGreaterThan(500);
    expect(undescribed(members)).toEqual([]);
  });

  it('states the unit of every time', () => {
    const times = [...requests, ...responses, ...webhooks].filter(isTime);
    expect(times.length).toBeGreaterThan(100);
    const without = times.filter(({ schema }) => !/seconds since the epoch/i.test(JSON.stringify(schema)));
    expect([...new Set(without.map(({ path }) => path))]).toEqual([]);
  });
});
