import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { anOperator } from '../../support/factories.ts';
import { aReceiver, responding } from '../../support/receiver.ts';
import { explain, statementsOf } from '../../support/statements.ts';
import { aListeningTenant, anEndpoint } from '../../support/webhooks.ts';
import { turnsOf } from '../../domain/webhooks/turns.ts';

const api = await startTestApi();
const receiver = await aReceiver();
const { turn, queued, messages, later, close } = turnsOf(api);
afterAll(async () => {
  await close();
  await receiver.close();
  await api.close();
});
const operator = anOperator(api);

interface Health {
  readonly endpointId: string;
  readonly pending: number;
}

const healthOf = async (endpointId: string): Promise<Health | undefined> =>
  (await operator.ok<Health[]>('/v2/operator/webhooks/health', { endpointId })).data[0];

async function scene() {
  receiver.behave(responding(200));
  const tenant = await aListeningTenant(api);
  return { tenant, endpointId: await anEndpoint(api, tenant, `${receiver.url}?token=secret`) };
}

describe('operator/webhooks/health', () => {
  it('returns pending messages, outcomes, pauses and the reason why an endpoint is disabled', async () => {
    const { tenant, endpointId } = await scene();
    const idle = {
      endpointId,
      keyId: tenant.keyId,
      kind: 'advanced',
      host: new URL(receiver.url).host,
      pending: 0,
      oldestPendingAt: null,
      lastSuccessAt: null,
      lastFailureAt: null,
      failingSince: null,
      paused: false,
      disabled: false,
      disabledReason: null,
    };
    expect(await healthOf(endpointId)).toEqual(idle);
    await queued(tenant, 1);
    await turn(tenant, endpointId);
    receiver.behave(responding(500));
    await queued(tenant, 2);
    await turn(tenant, endpointId);
    await operator.ok('/v2/operator/webhooks/pause', { keyId: tenant.keyId });
    expect(await healthOf(endpointId)).toEqual({
      ...idle,
      pending: 2,
      oldestPendingAt: expect.any(Number),
      lastSuccessAt: expect.any(Number),
      lastFailureAt: expect.any(Number),
      failingSince: expect.any(Number),
      paused: true,
    });
    await operator.ok('/v2/operator/webhooks/resume', { keyId: tenant.keyId });
    receiver.behave(responding(410));
    await later(tenant, '6 seconds');
    await turn(tenant, endpointId);
    expect(await healthOf(endpointId)).toMatchObject({
      disabled: true,
      disabledReason: 'The endpoint responded with 410 Gone.',
    });
  });

  it('lists each endpoint of every key once, in pages', async () => {
    const made = [await scene(), await scene(), await scene()].map(({ endpointId }) => endpointId);
    const found: string[] = [];
    let pageToken: string | undefined;
    do {
      const page: { data: Health[]; nextPageToken?: string } = await operator.ok<Health[]>(
        '/v2/operator/webhooks/health',
        { pageSize: 2, ...(pageToken !== undefined && { pageToken }) },
      );
      found.push(...page.data.map(({ endpointId }) => endpointId));
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
    expect(found.slice(-3)).toEqual(made);
    expect(new Set(found).size).toBe(found.length);
  });

  it('is read by an index', async () => {
    const { tenant, endpointId } = await scene();
    const sent = await statementsOf(async () => {
      for (const filter of [{}, { keyId: tenant.keyId }, { endpointId }])
        await operator.ok('/v2/operator/webhooks/health', filter);
    });
    const reads = [...new Set(sent.map(({ text }) => text))].filter((text) =>
      text.includes('oldest_pending'),
    );
    // One for each filter.
    expect(reads).toHaveLength(3);
    for (const text of reads) {
      const { wholeTables } = await explain(api.database, { text }, ['enable_hashjoin', 'enable_mergejoin']);
      expect({ text, wholeTables }).toEqual({ text, wholeTables: [] });
    }
  });
});

describe('operator/webhooks/pause and resume', () => {
  it('have no effect when repeated, and return what still pauses the scope', async () => {
    const { tenant, endpointId } = await scene();
    const paused = await operator.ok<object>('/v2/operator/webhooks/pause', { endpointId });
    expect(paused.data).toEqual({ paused: true, pausedAt: expect.any(Number) });
    expect((await operator.ok('/v2/operator/webhooks/pause', { endpointId })).data).toEqual(paused.data);
    await operator.ok('/v2/operator/webhooks/pause', { keyId: tenant.keyId });
    for (let round = 0; round < 2; round += 1) {
      const resumed = await operator.ok('/v2/operator/webhooks/resume', { endpointId });
      expect(resumed.data).toEqual({ paused: true, pausedAt: null });
    }
    const resumed = await operator.ok('/v2/operator/webhooks/resume', { keyId: tenant.keyId });
    expect(resumed.data).toEqual({ paused: false, pausedAt: null });
  });

  it('require exactly one scope, which must exist', async () => {
    const { tenant, endpointId } = await scene();
    for (const path of ['/v2/operator/webhooks/pause', '/v2/operator/webhooks/resume']) {
      for (const data of [{}, { keyId: tenant.keyId, endpointId }, { all: false }])
        expect((await operator.refused(path, data)).status).toBe('INVALID_ARGUMENT');
      for (const data of [{ keyId: 'akid_missing' }, { endpointId: 'ep_missing' }])
        expect((await operator.refused(path, data)).status).toBe('NOT_FOUND');
    }
  });
});

describe('operator/webhooks/recover', () => {
  it('queues failed messages of the last 30 days of any key once', async () => {
    const { tenant, endpointId } = await scene();
    await queued(tenant, 3);
    await api.database.sql('update delivery set status = 2, next_at = null where api_key_id = $1', [
      tenant.id,
    ]);
    const since = Date.now() - 3_600_000;
    const recover = async () =>
      (await operator.ok('/v2/operator/webhooks/recover', { endpointId, since })).data;
    expect(await recover()).toEqual({ endpointId, messages: 3 });
    expect(await recover()).toEqual({ endpointId, messages: 0 });
    await turn(tenant, endpointId);
    expect((await messages(tenant)).map(({ status }) => status)).toEqual([1, 1, 1]);
  });

  it('refuses a disabled or unknown endpoint, and a period before the last 30 days', async () => {
    const { tenant, endpointId } = await scene();
    const refused = async (data: object) =>
      (await operator.refused('/v2/operator/webhooks/recover', data)).status;
    const since = Date.now() - 1_000;
    expect(await refused({ endpointId, since: since - 31 * 86_400_000 })).toBe('INVALID_ARGUMENT');
    expect(await refused({ endpointId: 'ep_missing', since })).toBe('NOT_FOUND');
    const path = '/v2/workspace/advancedwebhook/endpoints/update';
    await tenant.ok(path, { endpointId, disabled: true });
    expect(await refused({ endpointId, since })).toBe('FAILED_PRECONDITION');
  });
});
