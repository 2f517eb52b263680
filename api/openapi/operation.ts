import type { Endpoint } from '../http/endpoint.ts';
import type { Components } from './components.ts';
import { credentialParametersOf, securityOf } from './credentials.ts';
import { failureResponses } from './failures.ts';
import { groupOf } from './groups.ts';
import { headerRefs, rateHeaders } from './headers.ts';
import type { JsonSchema } from './json-schema.ts';
import { operationIdOf } from './operation-id.ts';
import { responseExamplesOf } from './response-examples.ts';

/** Returns the OpenAPI operation of an endpoint at one of its paths. Adds the schemas of its bodies to the components. */
export function operation(endpoint: Endpoint, path: string, components: Components): JsonSchema {
  const deprecated = path.startsWith('/v1/');
  return {
    operationId: operationIdOf(path),
    summary: endpoint.summary,
    description: endpoint.description,
    ...(deprecated && { deprecated }),
    tags: [groupOf(endpoint).name],
    security: [securityOf(endpoint)],
    parameters: [
      ...credentialParametersOf(endpoint),
      { $ref: '#/components/parameters/RequestId' },
      ...(endpoint.mutates ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    requestBody: requestBody(endpoint, deprecated, components),
    responses: {
      [endpoint.response.httpStatus]: success(endpoint, deprecated, components),
      ...failureResponses(endpoint),
    },
  };
}

/** Returns the id of an operation at the last of its paths, in `/v2`. Its twins share responses and examples. */
const sharedId = ({ paths: [first, ...others] }: Endpoint): string => operationIdOf(others.at(-1) ?? first);

/** Returns `DocumentsAdd` for `documents.add`. */
function componentName(endpoint: Endpoint): string {
  const words = sharedId(endpoint).split('.');
  return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
}

/** Returns the body of a request. On `/v1` it has a component of its own, because unknown members are ignored there. */
function requestBody(endpoint: Endpoint, isV1: boolean, components: Components): JsonSchema {
  const { data: sent, example, maxBodyMebibytes = 1 } = endpoint;
  const data = components.of(sent, isV1 ? 'open request' : 'request');
  const name = componentName(endpoint);
  // Absent data passes for an empty object, and so do an absent body and an empty one.
  const isRequired = !sent.safeParse({}).success;
  return {
    description: `At most ${String(maxBodyMebibytes)} MiB.`,
    required: isRequired,
    content: {
      'application/json': {
        schema: components.add(`${isV1 && !name.startsWith('V1') ? 'V1' : ''}${name}Request`, {
          type: 'object',
          properties: { data: { description: 'The input of the operation.', ...data } },
          ...(isRequired && { required: ['data'] }),
        }),
        example: { data: example },
      },
    },
  };
}

function success(endpoint: Endpoint, isV1: boolean, components: Components): JsonSchema {
  const { response, mutates, credentials } = endpoint;
  const { headers = {}, mediaTypes = ['application/json'] } = response;
  const schema = response.bodySchema(`${componentName(endpoint)}Result`, components);
  const own = Object.entries(headers).map(([name, description]): [string, JsonSchema] => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return {
    description: response.statusDescription ?? 'The request succeeded.',
    headers: {
      ...headerRefs([
        'X-Request-Id',
        ...(mutates ? (['Idempotent-Replayed'] as const) : []),
        ...(isV1 ? (['X-Ignored-Members'] as const) : []),
        ...(credentials === 'apiKey' ? rateHeaders : []),
      ]),
      ...Object.fromEntries(own),
    },
    content: Object.fromEntries(mediaTypes.map((type) => [type, { schema, ...exampleOf(endpoint, type) }])),
  };
}

/** Returns the recorded body of this media type. */
function exampleOf(endpoint: Endpoint, mediaType: string): JsonSchema {
  const recorded = responseExamplesOf(sharedId(endpoint));
  return Object.hasOwn(recorded, mediaType) ? { examples: { recorded: { value: recorded[mediaType] } } } : {};
}
