import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { endpoints } from '../../api/endpoints.ts';
import { openApiDocument } from '../../api/openapi/document.ts';

export type Json = Readonly<Record<string, unknown>>;

/** The OpenAPI document of all operations. */
export const document: Json = openApiDocument(endpoints, '1.2.3');
export const operations = endpoints.flatMap((endpoint) => endpoint.paths.map((path) => ({ path, endpoint })));

/** Returns the value at a path of the document. Fails when there is none. */
export function at(...path: readonly (string | number)[]): Json {
  return path.reduce<Json>((part, name) => {
    const found = part[name];
    if (typeof found !== 'object' || found === null) throw new Error(`Nothing at ${path.join('/')}.`);
    return found as Json;
  }, document);
}

export const operation = (path: string): Json => at('paths', path, 'post');
export const resolved = (part: Json): Json =>
  typeof part['$ref'] === 'string' ? at(...part['$ref'].replace('#/', '').split('/')) : part;

export function sent(path: string): Json {
  const body = at('paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema');
  return resolved((resolved(body)['properties'] as { readonly data: Json }).data);
}

/** Every object in the document, with its path. */
export function parts(part: unknown, location = '#'): [string, Json][] {
  if (typeof part !== 'object' || part === null) return [];
  const below = Object.entries(part).flatMap(([name, value]) =>
    parts(value, `${location}/${name.replaceAll('/', '~1')}`),
  );
  return Array.isArray(part) ? below : [[location, part as Json], ...below];
}

/** Top-level members that the rules of a schema name. */
function ruledMembers(schema: Json): string[] {
  const ruled = new Set(
    parts(schema['allOf'] ?? {}).flatMap(([, part]) => [
      ...((part['required'] ?? []) as string[]),
      ...Object.keys(part['properties'] ?? {}),
    ]),
  );
  return Object.keys(schema['properties'] ?? {}).filter((name) => ruled.has(name));
}

/** Texts with which the rules of a schema compare a member. */
function ruledTexts(schema: Json, member: string): string[] {
  const compared = parts(schema['allOf'] ?? {}).flatMap(([, part]) => {
    const { [member]: fragment } = (part['properties'] ?? {}) as Record<string, Json | undefined>;
    return typeof fragment?.['const'] === 'string' ? [fragment['const']] : [];
  });
  return [...new Set(compared)];
}

/** Returns the example with every combination of these members: absent or with one of their valid values. */
export function combinationsOf(schema: Json, example: Json): Json[] {
  const properties = (schema['properties'] ?? {}) as Record<string, Json>;
  return ruledMembers(schema).reduce<Json[]>(
    (choices, name) => {
      const valid = [...new Set([...valuesOf(properties[name] ?? {}), ...ruledTexts(schema, name)])];
      return choices.flatMap((choice) => {
        const { [name]: own, ...without } = choice;
        const values = own === undefined ? valid : [own, ...valid];
        return [without, ...values.map((value) => ({ ...without, [name]: value }))];
      });
    },
    [example],
  );
}

/**
 * Returns every combination of an object's ruled members beside those of the base, or each member alone when there are
 * more than eight.
 */
export function objectsOf(schema: Json, base: Json = {}): Json[] {
  const ruled = ruledMembers(schema);
  if (ruled.length <= 8) return combinationsOf(schema, base);
  const properties = (schema['properties'] ?? {}) as Record<string, Json>;
  return [
    base,
    ...ruled.flatMap((name) => valuesOf(properties[name] ?? {}).map((value) => ({ ...base, [name]: value }))),
  ];
}

/** Returns sample values that a schema accepts. */
function valuesOf(part: Json): unknown[] {
  const schema = resolved(part);
  if (Array.isArray(schema['enum'])) return schema['enum'].slice(0, 3) as unknown[];
  if (Object.hasOwn(schema, 'const')) return [schema['const']];
  switch (schema['type']) {
    case 'boolean':
      return [true, false];
    case 'string':
      return ['text'];
    case 'integer':
      return [Math.max(1, Number(schema['minimum'] ?? 1))];
    case 'array':
      return valuesOf(schema['items'] as Json)
        .slice(0, 1)
        .map((item) => [item]);
    case 'object':
      return Object.keys(schema['properties'] ?? {}).length > 0 ? objectsOf(schema) : [];
    default:
      return [{}, 'text', ['text']];
  }
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'document', ...document });

export function validator(schema: Json): (data: unknown) => boolean {
  const absolute = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/');
  return ajv.compile(JSON.parse(absolute) as object) as (data: unknown) => boolean;
}

/** Returns whether a member accepts the value on its own. */
export function maybe(data: z.ZodType, name: string, value: unknown): boolean {
  if (typeof value !== 'string') return true;
  const object = data instanceof z.ZodPipe ? data.in : data;
  const member = object instanceof z.ZodObject ? (object.shape[name] as z.ZodType | undefined) : undefined;
  return member?.safeParse(value).success !== false;
}

export const compiled = (pattern: unknown): RegExp => new RegExp(String(pattern), 'u');
