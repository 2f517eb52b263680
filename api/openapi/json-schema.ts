import { z } from 'zod';
import { ruleSchemasOf } from '../rules.ts';

/** A JSON Schema of draft 2020-12, as OpenAPI 3.1 embeds it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

interface Options {
  /** What may be sent, or what is answered. */
  readonly io: 'input' | 'output';
  /** Objects that know their members accept others and pass over them. */
  readonly passOverUnknown?: boolean;
}

/** A schema, and those that it refers to by name because they hold themselves. */
export interface Described {
  readonly schema: JsonSchema;
  readonly named: Readonly<Record<string, JsonSchema>>;
}

/** `name` is for schemas that hold themselves: they become `<name>_1` … among the components. */
export function jsonSchemaOf(name: string, schema: z.ZodType, options: Options): Described {
  const {
    $schema: _,
    $defs,
    ...whole
  } = z.toJSONSchema(schema, {
    io: options.io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      addRules(zodSchema, jsonSchema);
      simplify(jsonSchema, options);
    },
  }) as Record<string, unknown>;
  const definitions = Object.entries(($defs ?? {}) as Record<string, JsonSchema>);
  const names = new Map(
    definitions.map(([key], index) => [`#/$defs/${key}`, `${name}_${String(index + 1)}`]),
  );
  names.set('#', name);
  const located = (part: unknown): unknown => relocated(part, names);
  const named = Object.fromEntries(
    definitions.map(([, definition], index) => [
      `${name}_${String(index + 1)}`,
      located(definition) as JsonSchema,
    ]),
  );
  const result = located(whole) as JsonSchema;
  const holdsItself = JSON.stringify(whole).includes('"$ref":"#"');
  return holdsItself
    ? { schema: { $ref: componentRef(name) }, named: { ...named, [name]: result } }
    : { schema: result, named };
}

/** The reference to a schema among the components of the document. */
export const componentRef = (name: string): string => `#/components/schemas/${name}`;

/** References of zod's own document as references to components. */
function relocated(part: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(part)) return part.map((item) => relocated(item, names));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]: [string, unknown]): [string, unknown] => {
      const name = key === '$ref' && typeof value === 'string' ? names.get(value) : undefined;
      return [key, name === undefined ? relocated(value, names) : componentRef(name)];
    }),
  );
}

function addRules(of: z.core.$ZodType, schema: z.core.JSONSchema.BaseSchema): void {
  const told = ruleSchemasOf(of);
  if (told.length > 0) schema.allOf = [...(schema.allOf ?? []), ...told];
}

/** Leaves out what tells a reader nothing: bounds of the number type, the expression behind a format. */
function simplify(schema: z.core.JSONSchema.BaseSchema, { passOverUnknown = false }: Options): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format !== undefined) delete schema.pattern;
  if (passOverUnknown && schema.additionalProperties === false) delete schema.additionalProperties;
}
