import { atOnce, type Pausable } from '../../platform/process/in-turns.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { problemSchema } from '../http/response/problem.ts';
import { Components } from './components.ts';
import { credentialParameters, securitySchemes } from './credentials.ts';
import { failureComponents } from './failures.ts';
import { byGroup } from './groups.ts';
import { headerComponents } from './headers.ts';
import type { JsonSchema } from './json-schema.ts';
import { operation } from './operation.ts';
import { publicPages, publicPagesTag } from './public-pages.ts';
import { webhookParameters, webhooks } from './webhooks.ts';

const description = `Administers the data and settings of a real-time collaboration platform.

Every operation is a POST with \`{"data": {…}}\`; success is \`{"result": {"status", "message", "data"}}\`, failure \`{"error": {"status", "message", "details"}}\`. Three successes differ: the response of users/data/delete has these members at the top level, auditlog/export returns lines of NDJSON or CSV, and the result of ask-ai has members of its own. Timestamps are milliseconds since the epoch unless noted.

Operations on /v1 are deprecated: each has a successor on /v2. On /v1, unknown fields are ignored and listed in the header X-Ignored-Members. On /v2, they are rejected. Responses may gain fields within a version.

Postman: import with the setting "Parameter generation: Example". Then set the variables apiKey and authToken to an API key and its auth token, or to a workspace or operator token for their operations.`;

/** Postman replaces this variable for each request. A fixed text would be one key for all of them. */
const newInPostman = '{{$guid}}';

const visible = (maxLength: number) => ({ type: 'string', pattern: '^[!-~]+$', maxLength });

const parameters: Readonly<Record<string, JsonSchema>> = {
  ...credentialParameters,
  ...webhookParameters,
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'Your id for the request. The response contains it, and so do lines of the log about the request. Generated when absent, longer than 128 characters, or with others than visible ASCII.',
    schema: visible(128),
    example: newInPostman,
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Repeats of a request with the same key within 24 hours return the first response. A different request with the key is rejected with 422. A repeat while the first request runs is rejected with 409.',
    schema: visible(255),
    example: newInPostman,
  },
};

/** Returns the OpenAPI 3.1 document of the endpoints. Shared parts are components. `serverUrl` has no trailing slash. */
export const openApiDocument = (
  endpoints: readonly Endpoint[],
  version: string,
  serverUrl?: string,
): JsonSchema => atOnce(writtenDocument(endpoints, version, serverUrl));

/** The work of `openApiDocument`. It yields after each operation. */
export function* writtenDocument(
  endpoints: readonly Endpoint[],
  version: string,
  serverUrl = '/',
): Pausable<JsonSchema> {
  const components = new Components();
  components.add('Failure', problemSchema);
  const paths: Record<string, JsonSchema> = {};
  for (const endpoint of endpoints) {
    for (const path of endpoint.paths) {
      paths[path] = { post: operation(endpoint, path, components) };
      yield;
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Steward',
      version,
      description,
      contact: { name: 'The operator of this deployment' },
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    tags: [...byGroup(endpoints).map(([group]) => group), publicPagesTag],
    paths: { ...paths, ...publicPages },
    webhooks: webhooks(),
    components: {
      schemas: components.schemas,
      responses: failureComponents(endpoints),
      securitySchemes,
      parameters,
      headers: headerComponents,
    },
  };
}
