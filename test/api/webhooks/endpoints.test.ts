import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { issuesOf } from '../../support/client.ts';
import { aTenant } from '../../support/factories.ts';
import { operations } from '../../support/operations.ts';
import { aListeningTenant } from '../../support/webhooks.ts';
import { at, create, hook, list, update, type EndpointView } from './webhook-calls.ts';

const api = await startTestApi();
afterAll(api.close);

const configure = '/v2/workspace/advancedwebhookconfig/update';
const neverEnabled =
  'Advanced webhooks are not configured for this workspace. Enable them first via POST /v2/workspace/advancedwebhookconfig/update with { "isEnabled": true }.';
const disabled =
  'Advanced webhooks are disabled for this workspace. Enable them via POST /v2/workspace/advancedwebhookconfig/update with { "isEnabled": true }.';
const unknown = { http: 404, status: 'NOT_FOUND', message: 'Advanced webhook provider request failed.' };

/** Excluded: returns no endpoints before webhooks are enabled, for pages that show the state of a key. */
const health = at('endpoints/health/get');

/** Every other operation on endpoints with valid data. */
const onEndpoints: readonly (readonly [path: string, data: object])[] = operations
  .filter(({ path }) => path.startsWith(at('endpoints/')) && path !== health)
  .map(({ endpoint, path }) => [path, endpoint.example as object]);

const onOneEndpoint = onEndpoints.filter(([, data]) => 'endpointId' in data);

describe('every operation on endpoints except health', () => {
  it('is one of twelve, ten of which require endpointId', () => {
    expect(onEndpoints).toHaveLength(12);
    expect(onOneEndpoint).toHaveLength(10);
  });

  it.each(onEndpoints)('%s is rejected before advanced webhooks are first enabled', async (path, data) => {
    const tenant = await aTenant(api);
    expect(await tenant.refused(path, data)).toMatchObject({
      http: 400,
      status: 'FAILED_PRECONDITION',
      message: neverEnabled,
    });
  });

  it.each(onEndpoints)('%s is rejected while advanced webhooks are disabled', async (path, data) => {
    const tenant = await aListeningTenant(api);
    await tenant.ok(configure, { isEnabled: false });
    expect(await tenant.refused(path, data)).toMatchObject({
      http: 400,
      status: 'FAILED_PRECONDITION',
      message: disabled,
    });
  });

  it.each(onEndpoints)('%s validates the request before it checks the state', async (path) => {
    const tenant = await aTenant(api);
    expect(await tenant.refused(path, { nobodyKnowsThis: 1 })).toMatchObject({
      http: 400,
      status: 'INVALID_ARGUMENT',
    });
  });

  it.each(onOneEndpoint)('%s returns NOT_FOUND for an unknown endpoint', async (path, data) => {
    const tenant = await aListeningTenant(api);
    for (const endpointId of ['ep_nobody', 'x', '../..', 'é'.repeat(400)]) {
      expect(await tenant.refused(path, { ...data, endpointId })).toMatchObject(unknown);
    }
  });

  it.each(onOneEndpoint)('%s returns NOT_FOUND for a deleted endpoint', async (path, data) => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant);
    await tenant.ok(at('endpoints/delete'), { endpointId });
    expect(await tenant.refused(path, { ...data, endpointId })).toMatchObject(unknown);
  });
});

describe('an endpoint', () => {
  it('is returned with every member, unset members as null', async () => {
    const tenant = await aListeningTenant(api);
    const { status, message, data } = await tenant.ok<EndpointView>(at('endpoints/create'), { url: hook });
    expect({ status, message }).toEqual({
      status: 'success',
      message: 'Advanced webhook endpoint created successfully.',
    });
    expect(data).toEqual({
      id: expect.stringMatching(/^ep_[\w-]{32}$/),
      url: hook,
      description: null,
      filterTypes: null,
      channels: null,
      disabled: false,
      disabledReason: null,
      rateLimit: null,
      uid: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: data.createdAt,
    });
    expect(await list(tenant)).toEqual({ endpoints: [data], iterator: null, prevIterator: null, done: true });
  });

  it('stores all members and never returns metadata', async () => {
    const tenant = await aListeningTenant(api);
    const sent = {
      url: 'http://hooks.example.com:8080/a?b=c',
      description: 'Comments',
      filterTypes: ['comment.add', 'mine:own-type_1'],
      channels: ['acme', 'plan'],
      disabled: true,
      rateLimit: 10_000,
      uid: 'a.b-c_1',
    };
    const made = await create(tenant, { ...sent, metadata: { team: 'red' } });
    expect(made).toMatchObject({ ...sent, disabledReason: null });
    expect((await list(tenant)).endpoints).toEqual([made]);
  });

  it('stores each type and channel once, and accepts empty lists', async () => {
    const tenant = await aListeningTenant(api);
    const twice = await create(tenant, { filterTypes: ['a', 'b', 'a'], channels: ['c', 'c'] });
    expect(twice).toMatchObject({ filterTypes: ['a', 'b'], channels: ['c'] });
    expect(await create(tenant, { filterTypes: [], channels: [] })).toMatchObject({
      filterTypes: [],
      channels: [],
    });
  });

  it('accepts a URL whose address each attempt rejects', async () => {
    const tenant = await aListeningTenant(api);
    expect(await create(tenant, { url: 'http://169.254.169.254/latest' })).toMatchObject({ disabled: false });
  });

  it('updates the given members and increases updatedAt', async () => {
    const tenant = await aListeningTenant(api);
    const made = await create(tenant, { description: 'One', rateLimit: 5, uid: 'u', channels: ['acme'] });
    const { message, data } = await update(tenant, made.id, { url: `${hook}/2`, rateLimit: 7 });
    expect(message).toBe('Advanced webhook endpoint updated successfully.');
    expect(data).toEqual({ ...made, url: `${hook}/2`, rateLimit: 7, updatedAt: data.updatedAt });
    expect(data.updatedAt > made.updatedAt).toBe(true);
    expect((await list(tenant)).endpoints).toEqual([data]);
  });

  it('clears optional members sent as null', async () => {
    const tenant = await aListeningTenant(api);
    const full = { description: 'One', filterTypes: ['a'], channels: ['b'], rateLimit: 5 };
    const { id } = await create(tenant, full);
    const none = { description: null, filterTypes: null, channels: null, rateLimit: null };
    expect((await update(tenant, id, none)).data).toMatchObject(none);
    const nothing = { url: null, disabled: null, metadata: null };
    expect(issuesOf(await tenant.refused(at('endpoints/update'), { endpointId: id, ...nothing }))).toEqual({
      'data.url': 'url must not be null.',
      'data.disabled': 'disabled must not be null.',
      'data.metadata': 'metadata must not be null.',
    });
  });

  it('loses disabledReason when it is enabled again', async () => {
    const tenant = await aListeningTenant(api);
    const { id } = await create(tenant);
    const reason = 'The endpoint responded with 410 Gone.';
    await api.database.sql(
      `update webhook_endpoint set disabled_at = now(), disabled_reason = '${reason}', failing_since = now() where public_id = '${id}'`,
    );
    expect((await list(tenant)).endpoints[0]).toMatchObject({ disabled: true, disabledReason: reason });
    expect((await update(tenant, id, { disabled: true })).data).toMatchObject({ disabledReason: reason });
    expect((await update(tenant, id, { disabled: false })).data).toMatchObject({
      disabled: false,
      disabledReason: null,
    });
    expect((await update(tenant, id, { disabled: true })).data).toMatchObject({
      disabled: true,
      disabledReason: null,
    });
    const { data } = await tenant.ok(at('endpoints/stats/get'), { endpointId: id });
    expect(data).toMatchObject({ failingSince: null });
  });

  it('does not exist after its deletion, and is not deleted twice', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant);
    expect(await tenant.ok(at('endpoints/delete'), { endpointId })).toEqual({
      status: 'success',
      message: 'Advanced webhook endpoint deleted successfully.',
      data: { endpointId, deleted: true },
    });
    expect((await list(tenant)).endpoints).toEqual([]);
    expect(await tenant.refused(at('endpoints/delete'), { endpointId })).toMatchObject(unknown);
  });

  it('frees its uid when it is deleted', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { uid: 'mine' });
    expect(await tenant.refused(at('endpoints/create'), { url: hook, uid: 'mine' })).toMatchObject({
      http: 409,
      status: 'ALREADY_EXISTS',
      message: 'uid is already taken.',
    });
    await create(await aListeningTenant(api), { uid: 'mine' });
    await tenant.ok(at('endpoints/delete'), { endpointId });
    expect(await create(tenant, { uid: 'mine' })).toMatchObject({ uid: 'mine' });
  });
});

describe('a request about endpoints', () => {
  const badUrls = [
    '',
    'hooks.example.com',
    'ftp://hooks.example.com',
    'https://',
    'https:hooks.example.com',
    'https://ada:secret@hooks.example.com',
    'https://@hooks.example.com',
    'https://:@hooks.example.com',
    'https://hooks.example.com/#part',
    'https://hooks.example.com/#',
    `https://hooks.example.com/${'x'.repeat(2_048)}`,
    `https://${'a'.repeat(64)}.example.com/`,
    `https://${'例'.repeat(64)}.example.com/`,
    'https://hooks.example.com:0/',
    'https://hooks..example.com/',
    'javascript:alert(1)',
    'http://[::1',
  ];

  it.each(badUrls)('is rejected with the URL %j', async (url) => {
    const tenant = await aListeningTenant(api);
    const refusal = await tenant.refused(at('endpoints/create'), { url });
    expect(refusal).toMatchObject({ http: 400, message: 'url must be a valid http(s) URL.' });
    expect(issuesOf(refusal)).toEqual({ 'data.url': 'url must be a valid http(s) URL.' });
  });

  it('reports every invalid member', async () => {
    const tenant = await aListeningTenant(api);
    const many = Array.from({ length: 101 }, (_, number) => `type.${String(number)}`);
    const refusal = await tenant.refused(at('endpoints/create'), {
      description: 'x'.repeat(1_001),
      filterTypes: many,
      channels: ['not a channel'],
      disabled: 'yes',
      rateLimit: 10_001,
      uid: 'a b',
      metadata: { a: 1 },
      secret: 'whsec_mine',
    });
    expect(issuesOf(refusal)).toEqual({
      'data.url': 'url is required.',
      'data.description': 'description must be at most 1000 characters.',
      'data.filterTypes': 'filterTypes must hold at most 100 items, not 101.',
      'data.channels[0]': 'channels[0] must be 1 to 128 of the characters A-Z a-z 0-9 _ . : -.',
      'data.disabled': 'disabled must be a boolean.',
      'data.rateLimit': 'rateLimit must be an integer from 1 to 10000.',
      'data.uid': 'uid must be 1 to 256 of the characters A-Z a-z 0-9 _ . -.',
      'data.metadata.a': 'metadata.a must be a string.',
      'data.secret': 'Unknown member: secret.',
    });
  });

  it('is rejected without a member to update', async () => {
    const tenant = await aListeningTenant(api);
    const { id } = await create(tenant);
    expect(await tenant.refused(at('endpoints/update'), { endpointId: id })).toMatchObject({
      http: 400,
      status: 'INVALID_ARGUMENT',
      message: 'At least one endpoint field besides endpointId must be provided.',
    });
    expect(await tenant.refused(at('endpoints/update'), { endpointId: id, uid: 'new' })).toMatchObject({
      message: 'Unknown member: uid.',
    });
  });

  it('accepts at most 50 members of metadata', async () => {
    const tenant = await aListeningTenant(api);
    const members = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, number) => [`m${String(number)}`, 'x']));
    await create(tenant, { metadata: members(50) });
    expect(await tenant.refused(at('endpoints/create'), { url: hook, metadata: members(51) })).toMatchObject({
      message: 'metadata must hold at most 50 members.',
    });
  });
});

describe('event types', () => {
  it('are listed before advanced webhooks are enabled, each with a schema and an example', async () => {
    const tenant = await aTenant(api);
    const { message, data } = await tenant.ok<{ eventTypes: Record<string, unknown>[] }>(
      at('eventtypes/get'),
    );
    expect(message).toBe('Advanced webhook event types retrieved successfully.');
    expect(data.eventTypes.length).toBeGreaterThan(30);
    for (const type of data.eventTypes) {
      const members = Object.keys(type).filter((member) => member !== 'emitted');
      expect(members).toEqual(['name', 'description', 'schema', 'example']);
    }
  });
});

describe('an endpoint at a refused address', () => {
  const refused = [
    'http://10.0.0.1/hook',
    'http://0x7f000001/',
    'http://[::ffff:127.0.0.1]:8080/',
    'http://2852039166/',
  ];
  const warning = expect.stringContaining('private or reserved address');

  it('is stored, and returned with a warning by create and by every update', async () => {
    const tenant = await aListeningTenant(api);
    for (const url of refused) {
      const { id, ...created } = await create(tenant, { url });
      expect(created).toMatchObject({ url, warning });
      expect((await update(tenant, id, { description: 'still there' })).data).toMatchObject({ url, warning });
      expect((await update(tenant, id, { url: hook })).data).not.toHaveProperty('warning');
      expect((await update(tenant, id, { url })).data).toMatchObject({ url, warning });
    }
    const { endpoints } = await list(tenant);
    expect(endpoints.map(({ url }) => url)).toEqual(refused);
    for (const endpoint of endpoints) expect(endpoint).not.toHaveProperty('warning');
  });

  it('has a warning, unlike host names and public addresses', async () => {
    const tenant = await aListeningTenant(api);
    for (const url of [hook, 'https://8.8.8.8/', 'http://localhost:9/'])
      expect(await create(tenant, { url })).not.toHaveProperty('warning');
  });
});
