import type { JsonSchema } from '../openapi/json-schema.ts';

/** A schema as text: its type, and a Markdown list of its members. */
interface Outline {
  readonly type: string;
  readonly members: readonly string[];
}

/** Recursive schemas end here. */
const maxDepth = 12;

/** Returns the members of a schema as a nested Markdown list. References are followed within the document. */
export function outlineOf(schema: JsonSchema, document: JsonSchema): readonly string[] {
  return new Outliner(document).outline(schema, []).members;
}

class Outliner {
  readonly #document: JsonSchema;

  constructor(document: JsonSchema) {
    this.#document = document;
  }

  /** `within` names the components around the schema: a recursive one is listed once. */
  outline(schema: JsonSchema, within: readonly string[]): Outline {
    const { $ref, anyOf, oneOf, allOf, items } = schema as Composed;
    if ($ref !== undefined) return this.#component($ref, within);
    const alternatives = [...(anyOf ?? []), ...(oneOf ?? [])].filter((part) => !isRule(part));
    const parts = [...alternatives, ...(allOf ?? []).filter((part) => !isRule(part))];
    if (parts.length > 0) {
      const outlines = [this.#own(schema, within), ...parts.map((part) => this.outline(part, within))];
      const types = new Set(outlines.map(({ type }) => type).filter((type) => type !== 'anything'));
      return {
        type: [...types].join(alternatives.length > 0 ? ' or ' : ' and '),
        members: [...new Set(outlines.flatMap(({ members }) => members))],
      };
    }
    if (items !== undefined) {
      const { type, members } = this.outline(items, within);
      const count = range(schema['minItems'], schema['maxItems'], ' items');
      return { type: `list of ${type}${count}`, members };
    }
    return this.#own(schema, within);
  }

  #component(reference: string, within: readonly string[]): Outline {
    const name = reference.split('/').at(-1) ?? reference;
    if (within.includes(name) || within.length > maxDepth) return { type: `${name} as above`, members: [] };
    return this.outline(this.#resolved(reference), [...within, name]);
  }

  #resolved(reference: string): JsonSchema {
    const names = reference.slice('#/'.length).split('/');
    return names.reduce((part, name) => (part[name] ?? {}) as JsonSchema, this.#document);
  }

  #own(schema: JsonSchema, within: readonly string[]): Outline {
    const { properties = {}, required = [], additionalProperties: rest } = schema as Composed;
    const members = Object.entries(properties).flatMap(([name, member]) =>
      this.#member(name, required.includes(name), member, within),
    );
    const free = typeof rest === 'object' ? this.#member('<any name>', false, rest, within) : [];
    const rules =
      (schema as Composed).allOf
        ?.filter(isRule)
        .flatMap(({ description }) => (typeof description === 'string' ? [description] : [])) ?? [];
    return {
      type: typeOf(schema),
      members: [...members, ...free, ...rules.map((rule) => `- Rule: ${oneLine(rule)}`)],
    };
  }

  #member(name: string, required: boolean, schema: JsonSchema, within: readonly string[]): readonly string[] {
    const { type, members } = this.outline(schema, within);
    const description = this.#description(schema);
    const words = [type, ...(required ? ['required'] : []), ...defaultOf(schema)].join(', ');
    return [
      `- \`${name}\` (${words})${description === undefined ? '' : `: ${description}`}`,
      ...members.map((line) => `  ${line}`),
    ];
  }

  /** A description beside a reference replaces that of the component. */
  #description(schema: JsonSchema): string | undefined {
    const { $ref, description } = schema as { $ref?: string; description?: string };
    if (description !== undefined) return oneLine(description);
    return $ref === undefined ? undefined : this.#description(this.#resolved($ref));
  }
}

interface Composed {
  readonly $ref?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
}

/** A rule between members of the schema around it has no type of its own. */
function isRule(schema: JsonSchema): boolean {
  const { anyOf = [], oneOf = [], allOf = [] } = schema as Composed;
  const typed = ['type', 'enum', 'const', '$ref'].some((name) => Object.hasOwn(schema, name));
  return !typed && [...anyOf, ...oneOf, ...allOf].every(isRule);
}

function typeOf(schema: JsonSchema): string {
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema['const']);
  const values = schema['enum'] as readonly unknown[] | undefined;
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' or ');
  const type = [(schema['type'] as string | readonly string[] | undefined) ?? 'anything'].flat().join(' or ');
  return [
    type,
    ...(typeof schema['format'] === 'string' ? [` (${schema['format']})`] : []),
    range(schema['minLength'], schema['maxLength'], ' characters'),
    range(schema['minimum'], schema['maximum'], ''),
  ].join('');
}

function range(from: unknown, to: unknown, unit: string): string {
  const [min, max] = [from, to] as readonly (number | undefined)[];
  if (max === undefined) return min === undefined || min === 0 ? '' : ` of min ${String(min)}${unit}`;
  return min === undefined ? ` of max ${String(max)}${unit}` : ` of ${String(min)} to ${String(max)}${unit}`;
}

const defaultOf = (schema: JsonSchema): readonly string[] =>
  Object.hasOwn(schema, 'default') ? [`default ${JSON.stringify(schema['default'])}`] : [];

const oneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join(' ');
