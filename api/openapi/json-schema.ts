import { z } from 'zod';
import { ruleSchemasOf } from '../rules.ts';

/** A JSON Schema of draft 2020-12, as OpenAPI 3.1 embeds it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

interface Options {
  /** The schema of requests or of responses. */
  readonly io: 'input' | 'output';
  /** Closed objects accept and ignore unknown members. */
  readonly passOverUnknown?: boolean;
}

/** A schema and the recursive schemas that it refers to by name. */
export interface Described {
  readonly schema: JsonSchema;
  readonly named: Readonly<Record<string, JsonSchema>>;
}

/** Converts a zod schema. Recursive schemas become components named `<name>_1` and so on. */
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
  const isRecursive = JSON.stringify(whole).includes('"$ref":"#"');
  return isRecursive
    ? { schema: { $ref: componentRef(name) }, named: { ...named, [name]: result } }
    : { schema: result, named };
}

/** Returns the reference to a schema component. */
export const componentRef = (name: string): string => `#/components/schemas/${name}`;

/** Rewrites references within zod's document to references to components. */
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
  const rules = ruleSchemasOf(of);
  if (rules.length > 0) schema.allOf = [...(schema.allOf ?? []), ...rules];
}

/** Omits redundant keywords: bounds of the number type, the pattern behind a format. */
function simplify(schema: z.core.JSONSchema.BaseSchema, { passOverUnknown = false }: Options): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format !== undefined) delete schema.pattern;
  if (passOverUnknown && schema.additionalProperties === false) delete schema.additionalProperties;
}
