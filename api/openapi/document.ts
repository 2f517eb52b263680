import { credentialHeaders } from '../http/caller/authenticate.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { problemSchema } from '../http/response/problem.ts';
import { failureComponents } from './failures.ts';
import { groupOf } from './groups.ts';
import type { JsonSchema } from './json-schema.ts';
import { operation } from './operation.ts';

const description = `Administers the data and settings of a real-time collaboration platform.

Every operation is a POST with \`{"data": {…}}\`; success is \`{"result": {"status", "message", "data"}}\`, failure \`{"error": {"status", "message", "details"}}\`. Timestamps are milliseconds since the epoch unless noted. On /v1, unknown members are ignored and listed in the header X-Ignored-Members. On /v2, they are rejected.

E-mail and basic webhook settings are stored for your own sender.`;

const headerMeanings = {
  'x-svc-api-key': 'The API key.',
  'x-svc-auth-token': 'An auth token of the API key.',
  'x-svc-workspace-id': 'The id of the workspace.',
  'x-svc-workspace-auth-token': 'The auth token of the workspace.',
  'x-svc-operator-token': 'An operator token.',
} as const;

const visible = (maxLength: number) => ({ type: 'string', pattern: '^[!-~]+$', maxLength });

/** Returns the OpenAPI 3.1 document of the endpoints. Shared parts are components. */
export function openApiDocument(endpoints: readonly Endpoint[], version: string): JsonSchema {
  const operations = endpoints.flatMap((endpoint) =>
    endpoint.paths.map((path) => ({ path, ...operation(endpoint, path) })),
  );
  const groups = [...new Set(operations.map(({ path }) => groupOf(path)))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Steward',
      version,
      description,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: groups.map((name) => ({ name })),
    paths: Object.fromEntries(operations.map(({ path, schema }) => [path, { post: schema }])),
    components: {
      schemas: Object.assign({ Failure: problemSchema }, ...operations.map(({ named }) => named)),
      responses: failureComponents(endpoints),
      securitySchemes: Object.fromEntries(
        [...new Set(Object.values(credentialHeaders).flat())].map((name) => [
          name,
          { type: 'apiKey', in: 'header', name, description: headerMeanings[name] },
        ]),
      ),
      parameters: {
        RequestId: {
          name: 'X-Request-Id',
          in: 'header',
          description:
            'Your id of the request. The response and every log line contain it. Generated when absent.',
          schema: visible(128),
        },
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          description:
            'Repeats of a request with the same key within 24 hours return the first response. A different request with the key is rejected with 422. A repeat while the first request runs is rejected with 409.',
          schema: visible(255),
        },
      },
      headers: {
        RequestId: { description: 'The id of the request.', schema: { type: 'string' } },
        Replayed: {
          description:
            '`true` when this is the response to an earlier request with the same Idempotency-Key.',
          schema: { type: 'string' },
        },
      },
    },
  };
}
