import type { JsonSchema } from '../../api/openapi/json-schema.ts';

/** A request may have undefined members and read-only arrays. A response of a newer server may have unknown enum values. */
export type Direction = 'request' | 'response';

/** Returns the name of a component's type. */
export const componentName = (name: string, direction: Direction): string =>
  pascal(name) + (direction === 'request' ? 'Input' : '');

/** Joins the words of an id or a component name: `documents.add` to `DocumentsAdd`. */
export const pascal = (name: string): string =>
  name.replaceAll(/(?:^|[^A-Za-z0-9]+)([a-z])?/g, (_, letter = '') => (letter as string).toUpperCase());

/** Returns the TypeScript type of a JSON schema of draft 2020-12. Rules between members have no type. */
export function typeText(schema: JsonSchema, direction: Direction): string {
  if (typeof schema['$ref'] === 'string') return componentName(lastPart(schema['$ref']), direction);
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return enumText(schema['enum'], direction);
  const typed = (list: unknown): readonly JsonSchema[] =>
    (Array.isArray(list) ? (list as readonly JsonSchema[]) : []).filter(hasType);
  const choices = typed(schema['anyOf'] ?? schema['oneOf']);
  if (choices.length > 0 && !('properties' in schema))
    return union(choices.map((choice) => typeText(choice, direction)));
  const { type } = schema;
  if (Array.isArray(type))
    return union(type.map((one: unknown) => typeText({ ...schema, type: one }, direction)));
  const own = ownText(schema, direction);
  const parts = typed(schema['allOf']).map((part) => typeText(part, direction));
  return [...(own === 'unknown' ? [] : [own]), ...parts].join(' & ') || 'unknown';
}

const lastPart = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** A rule has no type: it names members that exclude or require each other. */
const hasType = (schema: JsonSchema): boolean =>
  ['$ref', 'type', 'const', 'enum'].some((keyword) => keyword in schema) ||
  ['anyOf', 'oneOf', 'allOf'].some((keyword) =>
    ((schema[keyword] ?? []) as readonly JsonSchema[]).some(hasType),
  );

function enumText(values: readonly unknown[], direction: Direction): string {
  const texts = values.map((value) => JSON.stringify(value));
  const open = direction === 'response' && values.every((value) => typeof value === 'string');
  return union(open ? [...texts, '(string & {})'] : texts);
}

const union = (texts: readonly string[]): string => [...new Set(texts)].join(' | ');

const primitives: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

function ownText(schema: JsonSchema, direction: Direction): string {
  const { type } = schema;
  if (type === 'array') {
    const items = `(${typeText((schema['items'] ?? {}) as JsonSchema, direction)})[]`;
    return direction === 'request' ? `readonly ${items}` : items;
  }
  if (type === 'object' || 'properties' in schema) return objectText(schema, direction);
  return typeof type === 'string' ? (primitives[type] ?? 'unknown') : 'unknown';
}

function objectText(schema: JsonSchema, direction: Direction): string {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
  // An object that lists no members may have any.
  const others = schema['additionalProperties'] ?? properties.length === 0;
  if (properties.length === 0) {
    return others === false
      ? 'Record<string, never>'
      : `{ readonly [member: string]: ${typeText(schemaOf(others), direction)} }`;
  }
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  const members = properties.map(([name, member]) => {
    const optional = !required.has(name);
    const text = typeText(member, direction);
    const undefinedToo = optional && direction === 'request' && text !== 'unknown' ? ' | undefined' : '';
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${comment(member['description'])}readonly ${key}${optional ? '?' : ''}: ${text}${undefinedToo};`;
  });
  if (others !== false) members.push('readonly [member: string]: unknown;');
  return `{\n${members.join('\n')}\n}`;
}

const schemaOf = (schema: unknown): JsonSchema => (typeof schema === 'object' ? (schema as JsonSchema) : {});

/** Returns a doc comment of one or more lines, or nothing. */
export function comment(text: unknown): string {
  if (typeof text !== 'string' || text === '') return '';
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  return lines.length === 1
    ? `/** ${lines[0] ?? ''} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}
