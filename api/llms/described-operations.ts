import { credentialHeaders } from '../http/caller/authenticate.ts';
import { tokenScopeOf } from '../http/caller/token-scope.ts';
import { declaredFailures } from '../http/declared-failures.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import { operationIdOf } from '../openapi/operation-id.ts';
import { outlineOf } from './schema-outline.ts';

/** The text about an operation, for language models. */
export interface DescribedOperation {
  /** By resource and verb, as in the OpenAPI document: `documents.migrate`. */
  readonly id: string;
  /** The newest of its paths. */
  readonly path: string;
  readonly endpoint: Endpoint;
  readonly group: string;
  /** Only on `/v1`. */
  readonly deprecated: boolean;
  /** The complete description, as a section of Markdown. */
  text(): string;
}

/** Describes all operations of a document in their order of the API reference. */
export function describedOperations(
  endpoints: readonly Endpoint[],
  document: JsonSchema,
): readonly DescribedOperation[] {
  return endpoints.map((endpoint) => {
    const path = endpoint.paths.at(-1) ?? endpoint.paths[0];
    const documented = (document['paths'] as Documented)[path]?.post;
    if (documented === undefined) throw new Error(`undocumented operation ${path}`);
    const id = operationIdOf(path);
    return {
      id,
      path,
      endpoint,
      group: documented.tags[0] ?? '',
      deprecated: path.startsWith('/v1/'),
      text: () => textOf({ id, path, endpoint }, documented, document),
    };
  });
}

type Documented = Readonly<Record<string, { readonly post: OpenApiOperation }>>;

interface Content {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** An operation of the OpenAPI document. */
interface OpenApiOperation {
  readonly tags: readonly string[];
  readonly requestBody: { readonly content: Readonly<Record<'application/json', Content>> };
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Content>> }>>;
}

type Named = Pick<DescribedOperation, 'id' | 'path' | 'endpoint'>;

function textOf({ id, path, endpoint }: Named, documented: OpenApiOperation, document: JsonSchema): string {
  const { httpStatus, mediaTypes = ['application/json'] } = endpoint.response;
  const response = documented.responses[httpStatus]?.content[mediaTypes[0] ?? '']?.schema ?? {};
  const request = documented.requestBody.content['application/json'].schema;
  return [
    `### ${id}`,
    [
      `POST ${path}${aliasOf(endpoint)}`,
      `Credentials: ${credentialsOf(endpoint)}. ${endpoint.mutates ? 'Writes' : 'Reads'}.`,
    ].join('\n'),
    endpoint.summary,
    ...(endpoint.description === undefined ? [] : [endpoint.description]),
    ['Request:', ...outlineOf(request, document)].join('\n'),
    `Example: \`${JSON.stringify({ data: endpoint.example })}\``,
    [`Response ${String(httpStatus)}, ${mediaTypes.join(' or ')}:`, ...outlineOf(response, document)].join(
      '\n',
    ),
    ...exampleLines(documented.responses[httpStatus]?.content[mediaTypes[0] ?? '']),
    ...failuresOf(endpoint),
  ].join('\n\n');
}

function aliasOf({ paths }: Endpoint): string {
  const others = paths.slice(0, -1);
  return others.length === 0 ? '' : `, deprecated: ${others.join(', ')}`;
}

function credentialsOf(endpoint: Endpoint): string {
  const headers = credentialHeaders[endpoint.credentials].join(' and ');
  if (endpoint.credentials === 'apiKey') return `${headers}; scoped tokens need ${tokenScopeOf(endpoint)}`;
  return endpoint.operatorScope === undefined ? headers : `${headers} of scope ${endpoint.operatorScope}`;
}

function exampleLines(content: Content | undefined): readonly string[] {
  const values = Object.values(content?.examples ?? {}).map(({ value }) => value);
  return values.map((value) => `Example: \`${typeof value === 'string' ? value : JSON.stringify(value)}\``);
}

/** Lists the failures of an operation beyond those that all operations share. */
function failuresOf(endpoint: Endpoint): readonly string[] {
  const own = declaredFailures(endpoint).filter(({ status }) => endpoint.errors.includes(status));
  return own.length === 0
    ? []
    : [
        [
          'Errors in addition to the common ones:',
          ...own.map(({ http, status, meaning }) => `- ${status} (${String(http)}): ${meaning}`),
        ].join('\n'),
      ];
}
