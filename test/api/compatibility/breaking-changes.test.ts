import { describe, expect, it } from '@jest/globals';
import { breakingChanges } from './breaking-changes.ts';
import type { Json } from './schema-shape.ts';

const data = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string', maxLength: 10 },
    state: { enum: ['on', 'off'] },
    names: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 5 },
    count: { type: 'integer', minimum: 1, maximum: 9 },
    either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
  },
  allOf: [
    { not: { required: ['state', 'names'] } },
    { anyOf: [{ required: ['state'] }, { required: ['count'] }] },
  ],
};

const result = {
  type: 'object',
  required: ['status', 'items'],
  properties: {
    status: { const: 'success' },
    items: { type: 'array', items: { $ref: '#/components/schemas/Item' } },
    note: { type: 'string' },
  },
};

const schemas = {
  Item: {
    type: 'object',
    required: ['kind', 'below'],
    properties: {
      kind: { enum: ['a', 'b'] },
      size: { type: 'integer' },
      below: { type: 'array', items: { $ref: '#/components/schemas/Item' } },
    },
  },
};

const path = '/v2/things/get';
const released: Json = {
  paths: {
    [path]: {
      post: {
        operationId: 'v2_things_get',
        security: [{ key: [], token: ['things:read'] }],
        requestBody: { required: false, content: { 'application/json': { schema: data } } },
        responses: {
          200: { headers: { 'X-Request-Id': {} }, content: { 'application/json': { schema: result } } },
          404: { description: 'Nothing.' },
        },
      },
    },
  },
  components: {
    schemas,
    securitySchemes: { key: { name: 'x-svc-api-key' }, token: { name: 'x-svc-auth-token' } },
  },
};

const operation = ['paths', path, 'post'];
const request = [...operation, 'requestBody', 'content', 'application/json', 'schema'];
const response = [...operation, 'responses', '200', 'content', 'application/json', 'schema'];
const item = ['components', 'schemas', 'Item'];

/** The document with another value at a path; undefined removes it. */
function changed(location: readonly string[], value: unknown, document: Json = released): Json {
  const copy = structuredClone(document);
  const parent = location.slice(0, -1).reduce<Json>((part, name) => part[name] as Json, copy) as Record<
    string,
    unknown
  >;
  const name = location.at(-1) ?? '';
  if (value === undefined) delete parent[name];
  else parent[name] = value;
  return copy;
}

describe('a breaking change is', () => {
  it.each([
    ['a removed operation', operation, undefined, ': the operation is removed'],
    ['a renamed path', ['paths'], { '/v2/things/read': {} }, ': the operation is removed'],
    [
      'other credentials',
      [...operation, 'security'],
      [{ key: [] }],
      ' credentials x-svc-api-key and x-svc-auth-token things:read is removed',
    ],
    ['a body that is required', [...operation, 'requestBody', 'required'], true, ' request is now required'],
    ['another status of success', [...operation, 'responses'], { 202: {} }, ' status 200 is removed'],
    [
      'a removed header of the response',
      [...operation, 'responses', '200', 'headers'],
      {},
      ' 200 header X-Request-Id is removed',
    ],
    [
      'another media type',
      [...operation, 'responses', '200', 'content'],
      { 'text/csv': {} },
      ' response media type application/json is removed',
    ],
    [
      'a removed member of the request',
      [...request, 'properties', 'names'],
      undefined,
      ' request names: the member is removed',
    ],
    [
      'a new required member',
      [...request, 'required'],
      ['id', 'more'],
      ' request more: a new member is required',
    ],
    [
      'a member that becomes required',
      [...request, 'required'],
      ['id', 'count'],
      ' request count: the member is now required',
    ],
    [
      'a removed value of the request',
      [...request, 'properties', 'state', 'enum'],
      ['on'],
      ' request state: the value "off" is removed',
    ],
    [
      'values listed for the first time',
      [...request, 'properties', 'id', 'enum'],
      ['x'],
      ' request id: only listed values are accepted now',
    ],
    [
      'a type that is no longer accepted',
      [...request, 'properties', 'either'],
      { type: 'string' },
      ' request either: null is no longer accepted',
    ],
    [
      'another type of items',
      [...request, 'properties', 'names', 'items'],
      { type: 'integer' },
      ' request names[]: string is no longer accepted',
    ],
    [
      'another type of free members',
      [...request, 'properties', 'labels', 'additionalProperties'],
      { type: 'null' },
      ' request labels.*: string is no longer accepted',
    ],
    ['a lower max', [...request, 'properties', 'count', 'maximum'], 8, ' request count: maximum is narrower'],
    [
      'a higher min',
      [...request, 'properties', 'names', 'minItems'],
      2,
      ' request names: minItems is narrower',
    ],
    [
      'a removed member of the response',
      [...response, 'properties', 'note'],
      undefined,
      ' response note: the member is removed',
    ],
    [
      'a member of the response that may be absent',
      [...response, 'required'],
      ['status'],
      ' response items: the member may now be absent',
    ],
    [
      'another type in the response',
      [...response, 'properties', 'note', 'type'],
      ['string', 'null'],
      ' response note: may now be null',
    ],
    [
      'a removed value of a component',
      [...item, 'properties', 'kind', 'enum'],
      ['a'],
      ' response items[].kind: the value "b" is removed',
    ],
    [
      'a removed member of a component',
      [...item, 'properties', 'size'],
      undefined,
      ' response items[].size: the member is removed',
    ],
  ])('%s', (_, location, value, expected) => {
    const [first] = breakingChanges(released, changed(location, value));
    expect(first).toBe(`${path}${expected}`);
  });

  it('a renamed member, which counts as removed', () => {
    const { note, ...others } = result.properties;
    const renamed = changed([...response, 'properties'], { ...others, remark: note });
    expect(breakingChanges(released, renamed)).toEqual([`${path} response note: the member is removed`]);
  });
});

describe('no breaking change is', () => {
  it.each([
    ['a new operation', ['paths', '/v2/more/get'], { post: {} }],
    ['another operation id', [...operation, 'operationId'], 'things.get'],
    ['a new kind of failure', [...operation, 'responses', '409'], {}],
    ['a new optional member', [...request, 'properties', 'more'], { type: 'string' }],
    ['a member that becomes optional', [...request, 'required'], []],
    ['a new value', [...request, 'properties', 'state', 'enum'], ['on', 'off', 'paused']],
    ['a higher max', [...request, 'properties', 'id', 'maxLength'], 20],
    ['a wider type of the request', [...request, 'properties', 'count', 'type'], ['number', 'null']],
    ['a new member of the response', [...response, 'properties', 'more'], { type: 'string' }],
    ['a new value in the response', [...item, 'properties', 'kind', 'enum'], ['a', 'b', 'c']],
    ['a member that is always present', [...response, 'required'], ['status', 'items', 'note']],
  ])('%s', (_, location, value) => {
    expect(breakingChanges(released, changed(location, value))).toEqual([]);
  });

  it('another form of the same schema: a component, alternatives, or parts', () => {
    const { allOf: rules, ...plain } = data;
    const withComponent = changed([...item.slice(0, -1), 'Data'], plain);
    expect(
      breakingChanges(released, changed(request, { $ref: '#/components/schemas/Data' }, withComponent)),
    ).toEqual([]);
    expect(breakingChanges(released, changed(request, { allOf: [plain, ...rules] }))).toEqual([]);
    const alternatives = [
      { ...plain, required: ['id', 'state'] },
      { ...plain, required: ['id', 'count'] },
    ];
    expect(breakingChanges(released, changed(request, { oneOf: alternatives }))).toEqual([]);
  });

  it('another name of a component or of a security scheme', () => {
    const renamed = JSON.parse(
      JSON.stringify(released).replaceAll('schemas/Item', 'schemas/Thing').replace('"Item"', '"Thing"'),
    ) as Json;
    expect(breakingChanges(released, renamed)).toEqual([]);
    const schemes = { apiKey: { name: 'x-svc-api-key' }, authToken: { name: 'x-svc-auth-token' } };
    const named = changed(['components', 'securitySchemes'], schemes);
    const secured = changed([...operation, 'security'], [{ authToken: ['things:read'], apiKey: [] }], named);
    expect(breakingChanges(released, secured)).toEqual([]);
  });
});
