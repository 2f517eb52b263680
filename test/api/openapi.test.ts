import { afterAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import { openApiDocument } from '../../api/openapi/document.ts';
import { operationsList } from '../../api/openapi/operations-list.ts';
import { tokenScopeOf } from '../../api/http/caller/token-scope.ts';
import { credentialHeaders } from '../../api/http/caller/authenticate.ts';
import { statuses } from '../../api/http/response/statuses.ts';
import { ownVersion } from '../../platform/process/own-version.ts';
import { startTestApi } from '../support/api.ts';
import { aClient } from '../support/client.ts';
import { inFull } from '../support/tier.ts';
import {
  at,
  combinationsOf,
  compiled,
  document,
  maybe,
  operation,
  operations,
  parts,
  resolved,
  sent,
  validator,
  type Json,
} from './openapi-schemas.ts';

const api = await startTestApi({ environment: { STEWARD_PUBLIC_URL: 'https://steward.test/' } });
afterAll(api.close);

/** A reviver that omits the rule on reserved names, which /v1 ignores. */
function withoutReserved(key: string, value: unknown): unknown {
  if (key !== 'allOf') return value;
  const others = (value as Json[]).filter((part) => part['propertyNames'] === undefined);
  return others.length === 0 ? undefined : others;
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/** All combinations in `npm run test:long`, otherwise about 300 of an operation, with every value of every member. */
function someOf(combinations: readonly Json[]): readonly Json[] {
  const count = combinations.length;
  let step = inFull ? 1 : Math.max(1, Math.floor(count / 300));
  // A common divisor would leave out values of a member.
  while (greatestDivisor(count, step) > 1) step += 1;
  return combinations.filter((_, index) => index % step === 0);
}

describe('every operation', () => {
  it('has an example that its own schema accepts', () => {
    const bad = endpoints.filter(({ data, example }) => !data.safeParse(structuredClone(example)).success);
    expect(bad.map(({ paths }) => paths[0])).toEqual([]);
  });

  it('has a summary of one or two sentences and unique paths', () => {
    for (const { summary } of endpoints) expect(summary).toMatch(/^[A-Z].{10,200}\.$/);
    const paths = operations.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    for (const path of paths) expect(path).toMatch(/^\/v[12](\/[a-z_-]+)+$/);
  });

  it('appears in the document at each of its paths, and nothing else does', () => {
    const posts = Object.entries(at('paths')).filter(([, item]) => Object.hasOwn(item as Json, 'post'));
    expect(posts.map(([path]) => path)).toEqual(operations.map(({ path }) => path));
  });

  it('has an item in the list of docs/api.md', () => {
    const items = operationsList(endpoints).replaceAll('\n  ', ' ').split('\n');
    for (const { summary } of endpoints) {
      expect(items.filter((item) => item.endsWith(`** ${summary}`))).toHaveLength(1);
    }
  });
});

describe('the OpenAPI document', () => {
  it('has the members that OpenAPI 3.1 requires', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Steward', version: '1.2.3' } });
    const tags = (document['tags'] as { name: string }[]).map(({ name }) => name);
    expect(new Set(tags).size).toBe(tags.length);
    const ids = new Set<unknown>();
    for (const { path } of operations) {
      const { operationId, tags: own, responses, requestBody } = operation(path);
      ids.add(operationId);
      expect(tags).toEqual(expect.arrayContaining(own as string[]));
      expect(Object.keys(responses as Json).every((status) => /^[1-5]\d\d$/.test(status))).toBe(true);
      expect(Object.keys(requestBody as Json).sort()).toEqual(['content', 'description', 'required']);
    }
    expect(ids.size).toBe(operations.length);
    for (const part of ['schemas', 'responses', 'parameters', 'headers', 'securitySchemes']) {
      for (const name of Object.keys(at('components', part))) expect(name).toMatch(/^[a-zA-Z0-9._-]+$/);
    }
  });

  it('contains the target of every reference', () => {
    const references = parts(document).flatMap(([, part]) =>
      typeof part['$ref'] === 'string' ? [part['$ref']] : [],
    );
    expect(references.length).toBeGreaterThan(100);
    for (const reference of new Set(references)) at(...reference.replace('#/', '').split('/'));
  });

  it('contains only schemas of draft 2020-12: known types, valid patterns, ordered bounds', () => {
    const types = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean', 'null']);
    const schemas = parts({ paths: document['paths'], components: at('components') }).filter(
      ([location]) => !location.includes('/example') && !location.endsWith('/properties'),
    );
    const wrong: string[] = [];
    for (const [location, schema] of schemas) {
      if (typeof schema['type'] === 'string' && !location.includes('securitySchemes')) {
        if (!types.has(schema['type'])) wrong.push(`${location}: type ${schema['type']}`);
      }
      if (typeof schema['pattern'] === 'string') compiled(schema['pattern']);
      for (const [least, most] of [
        ['minimum', 'maximum'],
        ['minLength', 'maxLength'],
        ['minItems', 'maxItems'],
      ] as const) {
        const [from, to] = [schema[least], schema[most]];
        if (typeof from === 'number' && typeof to === 'number' && from > to)
          wrong.push(`${location}: ${least}`);
      }
      for (const gone of ['$schema', '$defs', 'nullable', 'definitions']) {
        if (Object.hasOwn(schema, gone)) wrong.push(`${location}: ${gone}`);
      }
    }
    expect(schemas.length).toBeGreaterThan(1_000);
    expect(wrong).toEqual([]);
  });

  it('lists the credentials of each operation, their headers, and the scope of auth tokens', () => {
    for (const { path, endpoint } of operations) {
      const headers = credentialHeaders[endpoint.credentials];
      const roles = (name: string) => (name === 'x-svc-auth-token' ? [tokenScopeOf(endpoint)] : []);
      expect(operation(path)['security']).toEqual([
        Object.fromEntries(headers.map((name) => [name, roles(name)])),
      ]);
      for (const name of headers) {
        expect(at('components', 'securitySchemes', name)).toMatchObject({
          type: 'apiKey',
          in: 'header',
          name,
        });
      }
    }
  });

  it('lists the header with the outcome of a provider call', () => {
    const path = '/v2/rewriter/ask-ai';
    const headers = ['paths', path, 'post', 'responses', '200', 'headers'] as const;
    expect(at(...headers)).toHaveProperty('X-Provider-Status');
    const { description } = at(...headers, 'X-Provider-Status');
    expect(description).toMatch(/Not sent with a replayed response/);
    expect(at('paths', '/v2/users/get', 'post', 'responses', '200', 'headers')).not.toHaveProperty(
      'X-Provider-Status',
    );
  });

  it('lists Idempotency-Key for mutating operations only', () => {
    for (const { path, endpoint } of operations) {
      const named = JSON.stringify(operation(path)['parameters']).includes('IdempotencyKey');
      expect([path, named]).toEqual([path, endpoint.mutates]);
    }
  });

  it('contains the limits of requests', () => {
    expect(sent('/v1/organizations/get')).toMatchObject({
      properties: {
        organizationIds: { minItems: 1, maxItems: 30 },
        pageSize: { minimum: 1, maximum: 1_000 },
      },
    });
    expect(sent('/v2/workspace/notificationconfig/update')).toMatchObject({
      properties: {
        notificationServiceConfig: {
          properties: { delayConfig: { properties: { delaySeconds: { minimum: 10, maximum: 15_552_000 } } } },
        },
      },
    });
    expect(sent('/v2/workspace/apikey/create')).toMatchObject({
      required: ['ownerEmail', 'type'],
      properties: {
        ownerEmail: { format: 'email', maxLength: 254 },
        type: { enum: ['testing', 'production'] },
        createAuthToken: { default: true },
      },
    });
  });

  it('describes the end of a page at `pageSize`', () => {
    const endOf = (path: string) =>
      (sent(path)['properties'] as { readonly pageSize: Json }).pageSize['description'];
    expect(endOf('/v2/activities/get')).toContain('A page also ends at 10 MiB,');
    expect(endOf('/v2/crdt/get')).toContain('A page also ends with the record that takes it to 8 MiB,');
  });

  it('requires a body with `data` where empty data is rejected', () => {
    for (const { path, endpoint } of operations) {
      const { required, content } = operation(path)['requestBody'] as Json;
      const { schema } = (content as Record<string, Json>)['application/json'] as { schema: Json };
      const isRequired = !endpoint.data.safeParse({}).success;
      expect([path, resolved(schema)['required']]).toEqual([path, isRequired ? ['data'] : undefined]);
      expect([path, required]).toEqual([path, isRequired]);
    }
  });

  it('states the rules between members exactly as they are enforced, for any combination', () => {
    let combinations = 0;
    const wrong: object[] = [];
    for (const { path, endpoint } of operations) {
      const schema = sent(path);
      const accepts = validator(schema);
      for (const data of someOf(combinationsOf(schema, endpoint.example as Json))) {
        if (!Object.entries(data).every(([name, value]) => maybe(endpoint.data, name, value))) continue;
        combinations += 1;
        const accepted = endpoint.data.safeParse(structuredClone(data)).success;
        if (accepts(data) !== accepted) wrong.push({ path, data, accepted });
      }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    const descriptions = (sent('/v2/users/get')['allOf'] as Json[]).map(({ description }) => description);
    expect(descriptions).toContain('documentId and folderId exclude each other.');
    expect(combinations).toBeGreaterThan(500);
  });

  it('states the characters that no id may contain', () => {
    const { items } = (sent('/v1/organizations/get')['properties'] as Record<string, Json>)[
      'organizationIds'
    ] as { items: Json };
    const id = compiled(resolved(items)['pattern']);
    expect(['acme', 'Ж ü 😀', ' ', '~', '\u00a0'].filter((text) => !id.test(text))).toEqual([]);
    expect(['a\n', '\u0000', '\u001f', '\u007f', '\u009f'].filter((text) => id.test(text))).toEqual([]);
  });

  it('lists X-Ignored-Members where unknown members are ignored', () => {
    for (const { path } of operations) {
      const responses = JSON.stringify(operation(path)['responses']);
      expect([path, responses.includes('X-Ignored-Members')]).toEqual([path, path.startsWith('/v1/')]);
    }
  });

  it('marks each operation on v1 as deprecated, with the members of its twin on v2', () => {
    const open = (path: string): unknown =>
      JSON.parse(
        JSON.stringify(sent(path)).replaceAll(/,"additionalProperties":false/g, ''),
        withoutReserved,
      );
    for (const { path, endpoint } of operations) {
      const isV1 = path.startsWith('/v1/');
      expect([path, operation(path)['deprecated']]).toEqual([path, isV1 ? true : undefined]);
      const [first, twin] = endpoint.paths;
      if (path !== first || twin === undefined) continue;
      expect([path, open(path)]).toEqual([path, open(twin)]);
      expect(operation(path)['requestBody']).toMatchObject({
        required: (operation(twin)['requestBody'] as Json)['required'],
        content: { 'application/json': { example: { data: endpoint.example } } },
      });
    }
  });

  it('has one schema for all failures, and no closed object in a response', () => {
    for (const response of Object.values(at('components', 'responses')))
      expect(response).toMatchObject({
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
      });
    const returned = Object.entries(at('components', 'schemas')).filter(([name]) =>
      /(?:Result|List|Page)(?:With\w+)?$/.test(name),
    );
    expect(returned.length).toBeGreaterThan(50);
    for (const [name, schema] of returned)
      expect([name, JSON.stringify(schema)]).toEqual([
        name,
        expect.not.stringContaining('"additionalProperties":false'),
      ]);
  });

  it('lists next to `data` only members that the response can have', () => {
    const extras = (path: string): string[] => {
      const { schema } = at('paths', path, 'post', 'responses', '200', 'content', 'application/json') as {
        schema: Json;
      };
      const { result } = resolved(schema)['properties'] as { result: Json };
      return Object.keys(result['properties'] as Json).filter(
        (name) => name.endsWith('Id') || /Count|Ids/.test(name),
      );
    };
    expect(extras('/v2/organizations/add')).toEqual(['failedCount']);
    expect(extras('/v2/organizations/delete')).toEqual(['failedCount', 'jobId']);
    expect(extras('/v2/organizations/folders/delete')).toEqual(['jobId']);
    expect(extras('/v2/crdt/delete')).toEqual(['failedCount', 'deletedCount', 'jobId']);
    expect(extras('/v2/commentannotations/comments/add')).toEqual(['jobId']);
    expect(extras('/v2/commentannotations/comments/reactions/add')).toEqual(['jobId']);
    expect(extras('/v2/auth/permissions/add')).toEqual([]);
  });

  it('lists the headers of failures that follow the credentials', () => {
    for (const response of Object.values(at('components', 'responses')))
      expect(Object.keys((response as Json)['headers'] as Json)).toEqual(
        expect.arrayContaining(['X-Request-Id', 'RateLimit-Remaining', 'Idempotent-Replayed']),
      );
  });

  it('names the deployment as its server when its URL is known', () => {
    expect(document['servers']).toEqual([{ url: '/' }]);
    const { servers } = openApiDocument(endpoints, '1.2.3', 'https://steward.example.com');
    expect(servers).toEqual([{ url: 'https://steward.example.com' }]);
  });

  it('tags the operations of operators separately', () => {
    for (const { path, endpoint } of operations)
      expect([path, operation(path)['tags']]).toEqual([
        path,
        endpoint.credentials === 'operator' ? ['Operators'] : expect.not.arrayContaining(['Operators']),
      ]);
  });

  it('describes the pages without credentials', () => {
    for (const path of ['/healthz', '/readyz', '/.well-known/jwks.json'])
      expect(at('paths', path, 'get')).toMatchObject({ security: [], tags: ['Health and keys'] });
  });

  it('lists the declared failures of each operation by HTTP status', () => {
    for (const { path, endpoint } of operations) {
      const responses = at('paths', path, 'post', 'responses');
      for (const status of [...endpoint.errors, 'INVALID_ARGUMENT', 'PERMISSION_DENIED'] as const) {
        const { $ref } = responses[statuses[status].http] as { $ref: string };
        const { description } = at(...$ref.replace('#/', '').split('/'));
        expect(description).toContain(status);
      }
      expect(Object.hasOwn(responses, '422')).toBe(endpoint.mutates);
    }
  });
});

describe('GET /openapi.json', () => {
  it('returns the document of this version, and 304 for its ETag', async () => {
    const reader = aClient(api.url);
    const first = await reader.call('/openapi.json', undefined, { method: 'GET' });
    expect(first.headers['content-type']).toBe('application/json; charset=utf-8');
    const { info, servers, ...others } = first.body as Json;
    const { info: _, servers: __, ...expected } = JSON.parse(JSON.stringify(document)) as Json;
    expect(servers).toEqual([{ url: 'https://steward.test' }]);
    expect([info, others]).toEqual([expect.objectContaining({ version: ownVersion }), expected]);
    const again = await reader.call('/openapi.json', undefined, {
      method: 'GET',
      headers: { 'if-none-match': first.headers.etag ?? '' },
    });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('does not accept POST', async () => {
    const response = await fetch(`${api.url}/openapi.json`, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});
