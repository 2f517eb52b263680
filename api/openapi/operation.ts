import type { AnyResponse } from '../http/response/response-kind.ts';
import { credentialHeaders } from '../http/caller/authenticate.ts';
import { tokenScopeOf } from '../http/caller/token-scope.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { failureResponses } from './failures.ts';
import { groupOf } from './groups.ts';
import { jsonSchemaOf, type Described, type JsonSchema } from './json-schema.ts';
import { operationIdOf } from './operation-id.ts';

/** Returns the OpenAPI operation of an endpoint at one of its paths, and the components that only it uses. */
export function operation(endpoint: Endpoint, path: string): Described {
  const operationId = operationIdOf(path);
  const sent = jsonSchemaOf(`${operationId}_data`, endpoint.data, {
    io: 'input',
    passOverUnknown: path.startsWith('/v1/'),
  });
  const response = endpoint.response.bodySchema(`${operationId}_answer`, endpoint.mutates);
  const schema = {
    operationId,
    summary: endpoint.summary,
    description: endpoint.description,
    tags: [groupOf(path)],
    security: [security(endpoint)],
    parameters: [
      { $ref: '#/components/parameters/RequestId' },
      ...(endpoint.mutates ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    requestBody: requestBody(sent.schema, endpoint.example, endpoint.maxBodyMebibytes ?? 1),
    responses: {
      [endpoint.response.httpStatus]: {
        description:
          endpoint.response.httpStatus === 202 ? 'The request was accepted.' : 'The request succeeded.',
        headers: {
          'X-Request-Id': { $ref: '#/components/headers/RequestId' },
          ...(endpoint.mutates && { 'Idempotent-Replayed': { $ref: '#/components/headers/Replayed' } }),
          ...ownHeaders(endpoint.response),
        },
        content: Object.fromEntries(
          (endpoint.response.mediaTypes ?? ['application/json']).map((type) => [
            type,
            { schema: response.schema },
          ]),
        ),
      },
      ...failureResponses(endpoint),
    },
  };
  return { schema, named: { ...sent.named, ...response.named } };
}

/** The credential headers; OpenAPI 3.1 lists roles there, here the scope that a scoped auth token needs. */
const security = (endpoint: Endpoint): JsonSchema =>
  Object.fromEntries(
    credentialHeaders[endpoint.credentials].map((name) => [
      name,
      name === 'x-svc-auth-token' ? [tokenScopeOf(endpoint)] : [],
    ]),
  );

const ownHeaders = ({ headers = {} }: AnyResponse): JsonSchema =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );

function requestBody(data: JsonSchema, example: unknown, mebibytes: number): JsonSchema {
  const needed = ((data['required'] ?? []) as readonly string[]).length > 0;
  return {
    description: `At most ${String(mebibytes)} MiB.`,
    required: needed,
    content: {
      'application/json': {
        // `data` is required even if the body is optional: a body without `data` is rejected.
        schema: {
          type: 'object',
          properties: { data: { description: 'The input of the operation.', ...data } },
          required: ['data'],
        },
        example: { data: example },
      },
    },
  };
}
