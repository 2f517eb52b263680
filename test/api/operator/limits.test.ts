import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { issuesOf, type Response, type TestClient } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { anOperator, aScopedToken, calledThrough, aTenant } from '../../support/factories.ts';
import { statementsOf } from '../../support/statements.ts';
import { aListeningTenant } from '../../support/webhooks.ts';
import { at, list } from '../webhooks/webhook-calls.ts';

// No test reaches the defaults of the deployment.
const environment = { STEWARD_RATE_LIMIT: '100000', STEWARD_RATE_BURST: '200000' };
const api = await startTestApi({ environment });
const second = await startTestApi({ database: api.database, environment: { STEWARD_RATE_LIMIT: '0' } });
afterAll(async () => {
  await second.close();
  await api.close();
});
const operator = anOperator(api);
const get = '/v2/operator/limits/get';
const update = '/v2/operator/limits/update';
const defaults = { requestsPerSecond: null, burst: null, aiConcurrency: null, webhookEndpoints: null };

const rateOf = ({ status, headers }: Response) => [
  status,
  headers['ratelimit-limit'],
  headers['ratelimit-remaining'],
];

describe('the limits of a key', () => {
  it('are those of the deployment until the operator changes them individually', async () => {
    const { keyId } = await aTenant(api);
    expect((await operator.ok(get, { keyId })).data).toEqual({ keyId, ...defaults });
    await operator.ok(update, { keyId, requestsPerSecond: 10, burst: 20 });
    const changed = await operator.ok(update, { keyId, burst: null, aiConcurrency: 3 });
    expect(changed.data).toEqual({ keyId, ...defaults, requestsPerSecond: 10, aiConcurrency: 3 });
    expect((await operator.ok(get, { keyId })).data).toEqual(changed.data);
    expect((await operator.ok(update, { keyId })).data).toEqual(changed.data);
  });

  it('apply to the next request in every process, and are in its headers', async () => {
    const tenant = await aTenant(api);
    const others = calledThrough(second, tenant);
    const read = async (client = others) => rateOf(await client.call('/v2/organizations/get', {}));
    expect(await read()).toEqual([200, undefined, undefined]);
    expect(await read(tenant)).toEqual([200, '200000', '199999']);
    await operator.ok(update, { keyId: tenant.keyId, requestsPerSecond: 1, burst: 2 });
    expect(await read()).toEqual([200, '2', '1']);
    expect(await read(tenant)).toEqual([200, '2', '1']);
    // Again when a slow machine needs so long that a token returns.
    await eventually(async () => {
      for (let taken = 0; taken < 2; taken += 1) await read(tenant);
      const refused = await tenant.refused('/v2/organizations/get', {});
      expect(refused).toMatchObject({ http: 429, status: 'RESOURCE_EXHAUSTED' });
      expect(refused.headers).toMatchObject({ 'ratelimit-limit': '2', 'retry-after': '1' });
    });
    await operator.ok(update, { keyId: tenant.keyId, requestsPerSecond: null, burst: null });
    expect((await read())[1]).toBeUndefined();
  });

  it('are in the headers of refusals of a known key, which take no request, and of no other refusal', async () => {
    const tenant = await aTenant(api, { allowedDomains: ['example.com'] });
    const { keyId } = tenant;
    await operator.ok(update, { keyId, requestsPerSecond: 1, burst: 2 });
    const refusal = async (client: TestClient, headers: Record<string, string> = {}) =>
      rateOf(await client.call('/v2/organizations/get', {}, { headers }));
    const known = [403, '2', '2'];
    expect(await refusal(tenant, { origin: 'https://other.net' })).toEqual(known);
    const { token } = await aScopedToken(tenant, ['documents:read']);
    expect(await refusal(tenant, { 'x-svc-auth-token': token })).toEqual(known);
    expect(await refusal(tenant, { 'x-svc-auth-token': 'wrong' })).toEqual([403, undefined, undefined]);
    await operator.ok('/v2/operator/keys/disable', { keyId });
    expect(await refusal(tenant)).toEqual(known);
  });

  it('are audited on each change, with the limits that differ', async () => {
    const { keyId } = await aTenant(api);
    await operator.ok(update, { keyId, burst: 20 });
    const entries = await api.database.sql(
      'select action, actor_kind, target, before, after from audit_entry where key_id = $1',
      [keyId],
    );
    expect(entries).toEqual([
      {
        action: 'limits.update',
        actor_kind: 'operator',
        target: keyId,
        before: { burst: null },
        after: { burst: 20 },
      },
    ]);
  });

  it('do not affect other keys', async () => {
    const [limited, other] = [await aTenant(api), await aTenant(api)];
    await operator.ok(update, { keyId: limited.keyId, requestsPerSecond: 1, burst: 1 });
    expect(rateOf(await other.call('/v2/organizations/get', {}))[1]).toBe('200000');
  });

  it('apply to new endpoints of a key, and keep existing ones', async () => {
    const tenant = await aListeningTenant(api);
    const { keyId } = tenant;
    const create = async () => tenant.call(at('endpoints/create'), { url: 'https://receiver.test/hook' });
    await operator.ok(update, { keyId, webhookEndpoints: 2 });
    expect([await create(), await create(), await create()].map(({ status }) => status)).toEqual([
      200, 200, 429,
    ]);
    await operator.ok(update, { keyId, webhookEndpoints: 1 });
    expect((await create()).body.error).toMatchObject({
      status: 'RESOURCE_EXHAUSTED',
      message: 'An API key may have 1 endpoints.',
    });
    expect((await list(tenant)).endpoints).toHaveLength(2);
    await operator.ok(update, { keyId, webhookEndpoints: 3 });
    expect((await create()).status).toBe(200);
    expect(issuesOf(await operator.refused(update, { keyId, webhookEndpoints: 10_001 }))).toEqual({
      'data.webhookEndpoints': 'webhookEndpoints must be an integer from 1 to 10000.',
    });
  });

  it('are read by the statement that checks the credentials', async () => {
    const tenant = await aTenant(api);
    await tenant.ok('/v2/organizations/get', {});
    const sent = await statementsOf(async () => tenant.ok('/v2/organizations/get', {}));
    expect(sent.filter(({ text }) => text.includes('api_key k'))).toHaveLength(1);
    expect(sent).toHaveLength(2);
  });

  it('are integers from 1 to the max of the deployment’s settings', async () => {
    const { keyId } = await aTenant(api);
    for (const wrong of [0, -1, 1.5, 10_000_001, '5']) {
      const refusal = await operator.refused(update, { keyId, requestsPerSecond: wrong, burst: wrong });
      const text = 'must be an integer from 1 to 10000000.';
      expect(issuesOf(refusal)).toEqual({
        'data.requestsPerSecond': `requestsPerSecond ${text}`,
        'data.burst': `burst ${text}`,
      });
    }
    const refusal = await operator.refused(update, { keyId, aiConcurrency: 10_001 });
    expect(issuesOf(refusal)).toEqual({
      'data.aiConcurrency': 'aiConcurrency must be an integer from 1 to 10000.',
    });
    const missing = { http: 404, message: 'API key not found.' };
    expect(await operator.refused(update, { keyId: 'akid_none' })).toMatchObject(missing);
    expect(await operator.refused(get, { keyId: 'akid_none' })).toMatchObject(missing);
  });
});
