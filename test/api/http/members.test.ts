import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { issuesOf } from '../../support/client.ts';
import { anOperator, anOrganization, aTenant, freshId } from '../../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);
const get = '/v2/organizations/get';
const add = '/v2/organizations/add';
const disable = '/v2/organizations/access/disablestate/update';

type Items = Record<string, { success: boolean; message: string; code?: string }>;

describe('members of a request', () => {
  it('report all issues at once, each with its path, the first one as the message', async () => {
    const tenant = await aTenant(api);
    const refusal = await tenant.refused(disable, {
      organizationIds: ['', 7, 'a'.repeat(1_001), 'a\nb', null],
      disabled: 'yes',
      createOrganisation: true,
    });
    expect([refusal.http, refusal.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(issuesOf(refusal)).toEqual({
      'data.organizationIds[0]': 'organizationIds[0] must not be empty.',
      'data.organizationIds[1]': 'organizationIds[1] must be a string.',
      'data.organizationIds[2]': 'organizationIds[2] must be at most 1000 bytes.',
      'data.organizationIds[3]': 'organizationIds[3] must not contain control characters.',
      'data.organizationIds[4]': 'organizationIds[4] must not be null.',
      'data.disabled': 'disabled must be a boolean.',
      'data.createOrganisation': 'Unknown member: createOrganisation.',
    });
    expect(refusal.message).toBe(refusal.details.issues?.[0]?.message);
  });

  it('are not coerced, and neither null nor empty text counts as absent', async () => {
    const tenant = await aTenant(api);
    const issuesAfter = async (data: object) => issuesOf(await tenant.refused(get, data));
    expect(await issuesAfter({ organizationIds: null })).toEqual({
      'data.organizationIds': 'organizationIds must not be null.',
    });
    expect(await issuesAfter({ organizationIds: [] })).toEqual({
      'data.organizationIds': 'organizationIds must hold 1 to 30 items, not 0.',
    });
    expect(await issuesAfter({ organizationIds: 'acme' })).toEqual({
      'data.organizationIds': 'organizationIds must be an array.',
    });
    expect(await issuesAfter({ organizationIds: { 0: 'acme' } })).toEqual({
      'data.organizationIds': 'organizationIds must be an array.',
    });
    expect(await issuesAfter({ pageSize: '10' })).toEqual({
      'data.pageSize': 'pageSize must be an integer from 1 to 1000.',
    });
    for (const pageSize of [0, 1_001, 1.5, -1]) {
      expect(await issuesAfter({ pageSize })).toEqual({
        'data.pageSize': 'pageSize must be an integer from 1 to 1000.',
      });
    }
    expect(await issuesAfter({ pageSize: null })).toEqual({ 'data.pageSize': 'pageSize must not be null.' });
    expect(issuesOf(await tenant.refused(disable, {}))).toEqual({
      'data.organizationIds': 'organizationIds is required.',
      'data.disabled': 'disabled is required.',
    });
    expect(issuesOf(await tenant.refused(disable, { organizationIds: ['a'], disabled: 1 }))).toEqual({
      'data.disabled': 'disabled must be a boolean.',
    });
  });

  it('count duplicate ids once, and a limit error contains the number sent', async () => {
    const tenant = await aTenant(api);
    const many = Array.from({ length: 31 }, (_, index) => `o-${String(index)}`);
    expect(issuesOf(await tenant.refused(get, { organizationIds: many }))).toEqual({
      'data.organizationIds': 'organizationIds must hold 1 to 30 items, not 31.',
    });
    const twice = [...many.slice(0, 30), ...many.slice(0, 30)];
    await tenant.ok(get, { organizationIds: twice });
    const { data } = await tenant.ok<Items>(disable, { organizationIds: ['x', 'x'], disabled: true });
    expect(Object.keys(data)).toEqual(['x']);
    const thousand = Array.from({ length: 1_001 }, (_, index) => ({ organizationId: `o-${String(index)}` }));
    expect(issuesOf(await tenant.refused(add, { organizations: thousand }))).toEqual({
      'data.organizations': 'organizations must hold 1 to 1000 items, not 1001.',
    });
  });

  it('of the last record win when two records share an id', async () => {
    const tenant = await aTenant(api);
    const organizationId = freshId('organization');
    const records = [
      { organizationId, organizationName: 'first' },
      { organizationId, organizationName: 'last' },
    ];
    const { data } = await tenant.ok<Items>(add, { organizations: records });
    expect(Object.keys(data)).toEqual([organizationId]);
    expect((await tenant.ok(get)).data).toMatchObject([{ organizationName: 'last' }]);
  });

  it('are not written when the call is refused', async () => {
    const tenant = await aTenant(api);
    const organizations = [{ organizationId: 'good' }, { organizationId: '' }];
    await tenant.refused(add, { organizations });
    expect((await tenant.ok(get)).data).toEqual([]);
  });

  it('of a failed item has a code, and the other items are written', async () => {
    const tenant = await aTenant(api);
    const known = await anOrganization(tenant);
    const result = await tenant.ok<Items>(disable, { organizationIds: ['unknown', known], disabled: true });
    expect(result.failedCount).toBe(1);
    expect(result.data).toEqual({
      unknown: { success: false, id: 'unknown', message: 'Organization does not exist', code: 'not-found' },
      [known]: { success: true, id: known, message: 'Updated disable state for organization Successfully' },
    });
    expect((await tenant.ok(get)).data).toMatchObject([{ id: known, disabled: true }]);
  });
});

describe('an id', () => {
  it.each([
    'slash/and\\back',
    '%2e%2e',
    'quote\'"`',
    ' leading and trailing ',
    '🦊',
    'é',
    'e\u0301',
    'constructor',
    'toString',
    'hasOwnProperty',
    '__proto__',
    'null',
    '0',
    'root',
    '<script>',
    '$where',
    "'; drop table organization; --",
    '\u202e',
    'a'.repeat(1_000),
    '🦊'.repeat(250),
  ])('round-trips %j byte for byte, as a key and as a value', async (organizationId) => {
    const tenant = await aTenant(api);
    const raw = JSON.stringify({ data: { organizations: [{ organizationId }] } });
    const response = await tenant.call(add, undefined, { raw });
    const data = response.body.result?.data as object;
    expect(Object.getOwnPropertyNames(data)).toEqual([organizationId]);
    const { data: read } = await tenant.ok(get, { organizationIds: [organizationId] });
    expect(read).toEqual([{ id: organizationId, organizationName: organizationId, disabled: false }]);
    const disabled = await tenant.ok<object>(disable, { organizationIds: [organizationId], disabled: true });
    expect(Object.getOwnPropertyDescriptor(disabled.data, organizationId)?.value).toMatchObject({
      success: true,
    });
  });

  it('is compared and ordered by bytes', async () => {
    const tenant = await aTenant(api);
    const ids = ['Z', 'a', 'A', 'é', 'e\u0301', ' a', 'a ', '\u{1F98A}', '\uffee'];
    await tenant.ok(add, { organizations: ids.map((organizationId) => ({ organizationId })) });
    const { data } = await tenant.ok<{ id: string }[]>(get);
    expect(data.map(({ id }) => id)).toEqual(
      ids.toSorted((left, right) => Buffer.from(left).compare(Buffer.from(right))),
    );
  });

  it('is omitted from the response when it is unknown', async () => {
    const tenant = await aTenant(api);
    await tenant.ok(add, { organizations: ['a', 'b', 'c'].map((organizationId) => ({ organizationId })) });
    const { data } = await tenant.ok<{ id: string }[]>(get, { organizationIds: ['c', 'x', 'a', 'c'] });
    expect(data.map(({ id }) => id)).toEqual(['c', 'a']);
  });
});

describe('hostile JSON', () => {
  it('is rejected with __proto__, constructor or toString in option objects, and pollutes no prototype', async () => {
    const tenant = await aTenant(api);
    for (const member of ['__proto__', 'constructor', 'toString', 'prototype', 'valueOf']) {
      const refusal = await tenant.refused(get, undefined, { raw: `{"data":{"${member}":{"pageSize":1}}}` });
      expect(issuesOf(refusal)).toEqual({ [`data.${member}`]: `Unknown member: ${member}.` });
    }
    expect(({} as Record<string, unknown>)['pageSize']).toBeUndefined();
  });

  it('is rejected, not silently dropped, with __proto__ as free metadata', async () => {
    const tenant = await aTenant(api);
    const raw = '{"data":{"organizations":[{"organizationId":"o","__proto__":{"polluted":true}}]}}';
    expect(issuesOf(await tenant.refused(add, undefined, { raw }))).toEqual({
      'data.organizations[0].__proto__': 'Unknown member: organizations[0].__proto__.',
    });
  });

  it('is rejected with __proto__ in each of two records with one id, and compared with its own record', async () => {
    const tenant = await aTenant(api);
    const first = '{"organizationId":"o","__proto__":{"a":1}}';
    const others = '{"organizationId":"o","deep":{"__proto__":1}},{"organizationId":"p","deep":{}}';
    const rawOf = (records: string) => `{"data":{"organizations":[${records}]}}`;
    for (const [records, at] of [
      [`${first},${others}`, 0],
      [`{"organizationId":"o"},${first},${others}`, 1],
      [`${others},${first}`, 2],
    ] as const) {
      const member = `organizations[${String(at)}].__proto__`;
      expect(issuesOf(await tenant.refused(add, undefined, { raw: rawOf(records) }))).toEqual({
        [`data.${member}`]: `Unknown member: ${member}.`,
      });
    }
    await tenant.ok(add, undefined, { raw: rawOf(`{"organizationId":"o"},${others}`) });
    expect((await tenant.call(get)).text).toContain('"deep":{"__proto__":1}');
  });

  it('is rejected by type when an object imitates a text or a list', async () => {
    const tenant = await aTenant(api);
    for (const length of [
      1,
      '1',
      null,
      {},
      { toString: 1 },
      { toString: null, valueOf: 'x' },
      [{ toString: 1 }],
    ]) {
      const posing = await tenant.refused(add, { organizations: [{ organizationId: { length } }] });
      expect(posing.details.issues).toContainEqual({
        path: 'data.organizations[0].organizationId',
        message: 'organizations[0].organizationId must be a string.',
      });
      const list = await tenant.refused(get, { organizationIds: { length, 0: 'a' } });
      expect(list.message).toBe('organizationIds must be an array.');
    }
    await anOrganization(tenant, { note: { length: { toString: 1 } } });
  });

  it('keeps the last value of a duplicate member', async () => {
    const tenant = await aTenant(api);
    const raw = '{"data":{"organizationIds":7,"organizationIds":["a"]},"data":{"organizationIds":["b"]}}';
    expect((await tenant.call(get, undefined, { raw })).status).toBe(200);
  });

  it('is rejected with U+0000 in any value or name', async () => {
    const tenant = await aTenant(api);
    const refuse = async (raw: string) => issuesOf(await tenant.refused(add, undefined, { raw }));
    expect(await refuse(String.raw`{"data":{"organizations":[{"organizationId":"a\u0000b"}]}}`)).toEqual({
      'data.organizations[0].organizationId': 'organizations[0].organizationId must not contain U+0000.',
    });
    expect(
      await refuse(String.raw`{"data":{"organizations":[{"organizationId":"a","x":{"y\u0000":1}}]}}`),
    ).toEqual({
      'data.organizations[0].x': 'organizations[0].x must not have a member whose name contains U+0000.',
    });
  });

  it.each(['1e999', '-1e999', '9'.repeat(400)])(
    'is rejected with the non-finite number %s',
    async (number) => {
      const tenant = await aTenant(api);
      const raw = `{"data":{"organizations":[{"organizationId":"a","size":${number}}]}}`;
      expect(issuesOf(await tenant.refused(add, undefined, { raw }))).toEqual({
        'data.organizations[0].size': 'organizations[0].size must be a finite number.',
      });
    },
  );

  it('has lone surrogates replaced and pairs kept', async () => {
    const tenant = await aTenant(api);
    const raw = String.raw`{"data":{"organizations":[{"organizationId":"a\ud800","note":"\udc00 \ud83e\udd8a","\udfff":[{"x":"\ud800"}]}]}}`;
    await tenant.ok(add, undefined, { raw });
    expect((await tenant.ok(get)).data).toEqual([
      {
        id: 'a\ufffd',
        organizationName: 'a\ufffd',
        disabled: false,
        note: '\ufffd 🦊',
        '\ufffd': [{ x: '\ufffd' }],
      },
    ]);
  });
});

describe('unknown members on v1', () => {
  it('are ignored and listed, percent-encoded, at most 20', async () => {
    const tenant = await aTenant(api);
    const odd = Object.fromEntries(['na me', 'é,', '\n', '100%'].map((name) => [name, 1]));
    const response = await tenant.call('/v1/organizations/get', odd);
    expect(response.status).toBe(200);
    const listed = String(response.headers['x-ignored-members']).split(',').map(decodeURIComponent);
    expect(listed).toEqual(['["na me"]', '["é,"]', String.raw`["\n"]`, '["100%"]']);
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`m${String(index)}`, 1]));
    const header = (await tenant.call('/v1/organizations/get', many)).headers['x-ignored-members'];
    expect(String(header).split(',')).toHaveLength(20);
    expect((await tenant.call('/v1/organizations/get', {})).headers['x-ignored-members']).toBeUndefined();
  });

  it('are ignored when they are reserved, nested or named __proto__', async () => {
    const tenant = await aTenant(api);
    const raw =
      '{"data":{"organizations":[{"organizationId":"o","plan":"gold","accessRole":"editor","_x":1}],"__proto__":{"a":1},"constructor":2}}';
    const response = await tenant.call('/v1/organizations/add', undefined, { raw });
    expect(response.status).toBe(200);
    expect(String(response.headers['x-ignored-members']).split(',').map(decodeURIComponent).sort()).toEqual(
      ['__proto__', 'constructor', 'organizations[0]._x', 'organizations[0].accessRole'].sort(),
    );
    expect((await tenant.ok(get)).data).toEqual([
      { id: 'o', organizationName: 'o', disabled: false, plan: 'gold' },
    ]);
  });

  it('are ignored when one record has both a reserved name and __proto__', async () => {
    const tenant = await aTenant(api);
    const raw = '{"data":{"organizations":[{"organizationId":"o","_x":1,"__proto__":{"a":1}}]}}';
    const response = await tenant.call('/v1/organizations/add', undefined, { raw });
    expect([response.status, response.headers['x-ignored-members']]).toEqual([
      200,
      ['organizations[0]._x', 'organizations[0].__proto__'].map(encodeURIComponent).join(','),
    ]);
    expect((await tenant.ok(get)).data).toEqual([{ id: 'o', organizationName: 'o', disabled: false }]);
  });

  it('do not hide other issues', async () => {
    const tenant = await aTenant(api);
    const refusal = await tenant.refused('/v1/organizations/get', { organizationIds: [], other: 1 });
    expect(issuesOf(refusal)).toEqual({
      'data.organizationIds': 'organizationIds must hold 1 to 30 items, not 0.',
    });
  });
});

describe('free metadata', () => {
  it('is returned flat, removed by null, merged at its first level, and does not hide a known member', async () => {
    const tenant = await aTenant(api);
    const organizationId = await anOrganization(tenant, {
      plan: { name: 'gold', seats: 3 },
      note: null,
      tags: ['x'],
    });
    await tenant.ok('/v2/organizations/update', {
      organizations: [{ organizationId, plan: { name: 'tin' }, tags: null }],
    });
    expect((await tenant.ok(get)).data).toEqual([
      { id: organizationId, organizationName: organizationId, disabled: false, plan: { name: 'tin' } },
    ]);
  });

  it('accepts 16 KiB per item and names the limit beyond it', async () => {
    const tenant = await aTenant(api);
    const note = (bytes: number) => 'a'.repeat(bytes - '{"note":""}'.length);
    await anOrganization(tenant, { note: note(16_384) });
    const refusal = await tenant.refused(add, {
      organizations: [{ organizationId: 'o', note: note(16_385) }],
    });
    expect(issuesOf(refusal)).toEqual({
      'data.organizations[0]': 'organizations[0] must hold at most 16 KiB of free metadata.',
    });
  });

  it.each(['id', 'disabled', 'success', 'permissions', 'metadata', '_private', '$ref'])(
    'rejects the reserved name %s',
    async (name) => {
      const tenant = await aTenant(api);
      const refusal = await tenant.refused(add, { organizations: [{ organizationId: 'o', [name]: 1 }] });
      expect(issuesOf(refusal)).toEqual({
        [`data.organizations[0].${name}`]: `Unknown member: organizations[0].${name}.`,
      });
    },
  );
});

describe('values of members', () => {
  it('never appear in a refusal', async () => {
    const secret = 'very-secret-value';
    const refused = await anOperator(api).call('/v2/workspace/create', {
      ownerEmail: secret,
      avatar: secret,
      name: { secret },
    });
    expect(refused.status).toBe(400);
    expect(refused.text).not.toContain(secret);
  });
});
