import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { calledThrough } from '../../support/factories.ts';
import { aListeningTenant } from '../../support/webhooks.ts';
import { at, create, hook, list } from './webhook-calls.ts';

const api = await startTestApi();
/** Each has its own pool and caches, like a process. */
const others = [
  await startTestApi({ database: api.database }),
  await startTestApi({ database: api.database }),
] as const;
afterAll(async () => {
  for (const other of others) await other.close();
  await api.close();
});

const statusesOf = (responses: readonly { readonly status: number }[]): number[] =>
  responses.map(({ status }) => status).toSorted((left, right) => left - right);

describe('two concurrent APIs', () => {
  it('create at most 100 endpoints of one API key', async () => {
    const tenant = await aListeningTenant(api);
    const calls = Array.from({ length: 130 }, async (_, number) => {
      const caller = calledThrough(others[number % 2] ?? api, tenant);
      return caller.call(at('endpoints/create'), { url: hook });
    });
    const responses = await Promise.all(calls);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(100);
    const refused = responses
      .filter(({ status }) => status !== 200)
      .map(({ status, body }) => [status, body.error]);
    for (const [status, error] of refused) {
      expect([status, error]).toEqual([
        429,
        expect.objectContaining({
          status: 'RESOURCE_EXHAUSTED',
          message: 'An API key may have 100 endpoints.',
        }),
      ]);
    }
    expect((await list(tenant, { limit: 250 })).endpoints).toHaveLength(100);
    const [first] = (await list(tenant, { limit: 1 })).endpoints;
    await tenant.ok(at('endpoints/delete'), { endpointId: first?.id });
    await create(tenant);
  });

  it('assign a uid to one endpoint', async () => {
    const tenant = await aListeningTenant(api);
    const responses = await Promise.all(
      Array.from({ length: 10 }, async (_, number) =>
        calledThrough(others[number % 2] ?? api, tenant).call(at('endpoints/create'), {
          url: hook,
          uid: 'one',
        }),
      ),
    );
    expect(statusesOf(responses)).toEqual([200, ...Array<number>(9).fill(409)]);
  });

  it('delete an endpoint once', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant);
    const responses = await Promise.all(
      others.map(async (other) => calledThrough(other, tenant).call(at('endpoints/delete'), { endpointId })),
    );
    expect(statusesOf(responses)).toEqual([200, 404]);
  });

  it('create one application when both enable webhooks for the first time', async () => {
    const tenant = await aListeningTenant(api, { isEnabled: true });
    const enable = '/v2/workspace/advancedwebhookconfig/update';
    await Promise.all(
      Array.from({ length: 10 }, async (_, number) =>
        calledThrough(others[number % 2] ?? api, tenant).ok(enable, { isEnabled: number % 3 !== 0 }),
      ),
    );
    const jobs = await tenant.ok<unknown[]>('/v2/jobs/list', { kind: 'webhook-provisioning' });
    expect(jobs.data).toHaveLength(1);
  });
});
