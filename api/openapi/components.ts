import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { componentRef, jsonSchemaOf, type Direction, type JsonSchema } from './json-schema.ts';

/** The schema components of a document. Operations with one shape share one component. */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>();

  /** Names a schema and returns a reference to it. Throws for two schemas of one name. */
  add(name: string, schema: JsonSchema): JsonSchema {
    const known = this.#schemas.get(name);
    if (known !== undefined && !isDeepStrictEqual(known, schema))
      throw new Error(`two schemas of the component ${name}`);
    this.#schemas.set(name, schema);
    return { $ref: componentRef(name) };
  }

  /** Converts a zod schema. Each schema with an `id` in its `meta()`, itself or within it, becomes a component. */
  of(converted: z.ZodType, direction: Direction): JsonSchema {
    const { schema, named } = jsonSchemaOf(converted, direction);
    for (const [name, definition] of Object.entries(named)) this.add(name, definition);
    return schema;
  }

  /** Returns the components by name, in order of names. */
  get schemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** Returns the name of a resource: the `id` in the `meta()` of its schema. */
export const resourceName = (schema: z.ZodType): string | undefined => z.globalRegistry.get(schema)?.id;
