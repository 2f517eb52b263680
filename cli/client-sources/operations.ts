import type { Endpoint } from '../../api/http/endpoint.ts';
import type { ClientForm } from '../../api/http/response/response-kind.ts';
import type { JsonSchema } from '../../api/openapi/json-schema.ts';
import { operationIdOf } from '../../api/openapi/operation-id.ts';

/** An operation of `/v2` as the client has it. */
export interface ClientOperation {
  /** Resource and verb, joined by dots. */
  readonly id: string;
  readonly path: string;
  readonly credentials: Endpoint['credentials'];
  readonly writes: boolean;
  readonly client: ClientForm;
  readonly summary: string;
  readonly description: string | undefined;
  /** The schema of `data`. */
  readonly data: JsonSchema;
  /** Members of `data` that exclude `pageSize`. */
  readonly alone: readonly string[];
  /** The schema of `result`, or of the body where it has no envelope. */
  readonly result: JsonSchema;
  /** Of arrays: the schema of an item, which `result` refers to as the component `<id>.item`. */
  readonly item: JsonSchema | undefined;
}

/** Returns the operations of the endpoints, with the schemas of their OpenAPI document. */
export function clientOperations(endpoints: readonly Endpoint[], document: JsonSchema): ClientOperation[] {
  const at = followIn(document);
  return endpoints.flatMap((endpoint) => {
    const path = endpoint.paths.find((one) => one.startsWith('/v2/'));
    if (path === undefined) return [];
    const { credentials, mutates: writes, summary, response } = endpoint;
    const id = operationIdOf(path);
    const post = at(document, 'paths', path, 'post');
    const description = post['description'] as string | undefined;
    const request = bodySchema(at, at(post, 'requestBody'));
    const body = bodySchema(at, at(post, 'responses', String(response.httpStatus)));
    const result = has(body, 'result') ? at(body, 'properties', 'result') : body;
    const data = at(request, 'properties', 'data');
    const item = response.itemsAt && (at(result, ...response.itemsAt)['items'] as JsonSchema);
    return {
      id,
      path,
      credentials,
      writes,
      client: response.client,
      summary,
      description,
      data,
      alone: excludingPageSize(data),
      result: item === undefined ? result : withReference(result, item, `${id}.item`),
      item,
    };
  });
}

/** Returns the value of the document at a path below another one. Throws when there is none. */
type Follow = (part: unknown, ...path: readonly string[]) => JsonSchema;

/** Returns a function that follows paths and, at their end, references. */
function followIn(document: JsonSchema): Follow {
  const at: Follow = (part, ...path) => {
    const found = path.reduce<unknown>((parent, name) => (parent as JsonSchema)[name], part) as
      JsonSchema | undefined;
    if (found === undefined) throw new Error(`missing ${path.join('/')} in the OpenAPI document`);
    const { $ref } = found;
    return typeof $ref === 'string' ? at(document, ...$ref.replace('#/', '').split('/')) : found;
  };
  return at;
}

/** Members that a rule of the request forbids together with `pageSize`. */
const excludingPageSize = ({ allOf = [] }: JsonSchema): string[] =>
  (allOf as readonly JsonSchema[]).flatMap(({ not = {} }) => {
    const { required = [] } = not as { readonly required?: readonly string[] };
    return required.includes('pageSize') ? required.filter((name) => name !== 'pageSize') : [];
  });

const has = ({ properties }: JsonSchema, name: string): boolean => Object.hasOwn(properties ?? {}, name);

function bodySchema(at: Follow, body: JsonSchema): JsonSchema {
  const [mediaType = ''] = Object.keys(body['content'] ?? {});
  return at(body, 'content', mediaType, 'schema');
}

/** Replaces a schema by a reference to a component. A schema that is a reference stays. */
function withReference(result: JsonSchema, item: JsonSchema, name: string): JsonSchema {
  if ('$ref' in item) return result;
  const reference = JSON.stringify({ $ref: `#/components/schemas/${name}` });
  return JSON.parse(JSON.stringify(result).replaceAll(JSON.stringify(item), reference)) as JsonSchema;
}
