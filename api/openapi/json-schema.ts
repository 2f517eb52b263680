import { z } from 'zod';
import { ruleSchemasOf } from '../rules.ts';

/** A JSON Schema of draft 2020-12, as OpenAPI 3.1 embeds it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A request is a schema's input, with rules and closed objects. An open request is one to `/v1`, which ignores unknown
 * members. Objects of responses may gain members.
 */
export type Direction = 'request' | 'open request' | 'response';

/** A schema and those that it refers to: each schema with an `id` in zod's registry. */
export interface Described {
  readonly schema: JsonSchema;
  readonly named: Readonly<Record<string, JsonSchema>>;
}

/** Converts a zod schema. Throws for a recursive schema without an `id`, because only components can be recursive. */
export function jsonSchemaOf(schema: z.ZodType, direction: Direction): Described {
  // A schema with an `id` becomes a reference anywhere but at the root.
  const root = z.object({ schema });
  const { properties, $defs = {} } = z.toJSONSchema(root, {
    io: direction === 'response' ? 'output' : 'input',
    unrepresentable: 'any',
    cycles: 'ref',
    override: ({ zodSchema, jsonSchema }) => {
      addRules(zodSchema, jsonSchema, direction);
      simplify(jsonSchema, direction);
    },
  });
  for (const name of Object.keys($defs))
    if (name.startsWith('__schema')) throw new Error('recursive schema without an id in its meta()');
  const { schema: converted } = properties as { readonly schema: JsonSchema };
  return {
    schema: withComponentRefs(converted),
    named: withComponentRefs($defs),
  };
}

/** Returns the reference to a schema component. */
export const componentRef = (name: string): string => `#/components/schemas/${name}`;

/** Rewrites references within zod's document to references to components. */
const withComponentRefs = <Part extends object>(part: Part): Part =>
  JSON.parse(JSON.stringify(part).replaceAll('"$ref":"#/$defs/', `"$ref":"${componentRef('')}`)) as Part;

function addRules(of: z.core.$ZodType, schema: z.core.JSONSchema.BaseSchema, direction: Direction): void {
  // `/v1` ignores members with reserved names.
  const rules = ruleSchemasOf(of).filter(
    (rule) => direction !== 'open request' || rule['propertyNames'] === undefined,
  );
  // A schema inherits the rules of the one that it extends by a check.
  const all = [...(schema.allOf ?? []), ...rules];
  if (rules.length > 0) schema.allOf = [...new Map(all.map((part) => [JSON.stringify(part), part])).values()];
}

/** Omits redundant keywords: bounds of the number type, the pattern behind a format, closedness of open objects. */
function simplify(schema: z.core.JSONSchema.BaseSchema, direction: Direction): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format !== undefined) delete schema.pattern;
  if (direction !== 'request' && schema.additionalProperties === false) delete schema.additionalProperties;
}
