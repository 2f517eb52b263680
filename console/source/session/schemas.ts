import { queryOptions } from '@tanstack/react-query';
import { readPublic } from './public-document.ts';

/** The members of a JSON schema that the console reads. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/** The OpenAPI document of the API. */
export interface Schemas {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post?: {
          readonly requestBody?: {
            readonly content: { readonly 'application/json': { readonly schema: Schema } };
          };
        };
      }
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Read once, by the pages that need it: the console does not repeat the API's description. */
export const schemasQuery = queryOptions({
  queryKey: ['schemas'],
  queryFn: ({ signal }) => readPublic<Schemas>('/openapi.json', signal),
  staleTime: Infinity,
});

const prefix = '#/components/schemas/';

/** Returns a schema, or the one that it refers to. */
export function resolved(schemas: Schemas, schema: Schema): Schema {
  if (schema.$ref?.startsWith(prefix) !== true) return schema;
  const { description } = schema;
  const found = schemas.components.schemas[schema.$ref.slice(prefix.length)] ?? {};
  return { ...found, ...(description !== undefined && { description }) };
}

/** Returns the schema of the data of an operation. */
export function schemaOf(schemas: Schemas, path: string): Schema {
  const body = schemas.paths[path]?.post?.requestBody?.content['application/json'].schema ?? {};
  const data = resolved(schemas, body).properties?.['data'] ?? {};
  return resolved(schemas, data);
}
