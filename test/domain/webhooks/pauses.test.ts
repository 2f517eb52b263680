import { afterAll, describe, expect, it } from '@jest/globals';
import { deleteEndedPauses } from '../../../domain/maintenance/delete-expired.ts';
import { endpointsWithOldMessages } from '../../../domain/webhooks/delivery/find-waiting.ts';
import {
  pauseDeliveries,
  resumeDeliveries,
  type PauseScope,
} from '../../../domain/webhooks/pauses/change-pause.ts';
import { purgeDeletedEndpoints } from '../../../domain/webhooks/endpoints/purge-deleted-endpoints.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestTenant } from '../../support/factories.ts';
import { aReceiver, responding } from '../../support/receiver.ts';
import { explain, statementsOf } from '../../support/statements.ts';
import { aListeningTenant, anEndpoint } from '../../support/webhooks.ts';
import { turnsOf } from './turns.ts';

const api = await startTestApi();
const receiver = await aReceiver();
const { turn, queued, messages, attempts, later, close } = turnsOf(api);
afterAll(async () => {
  await close();
  await receiver.close();
  await api.close();
});

const kinds = [0, 1, 2];
const pause = async (scope: PauseScope) => inTransaction(api.orm, async (em) => pauseDeliveries(em, scope));
const resume = async (scope: PauseScope) =>
  inTransaction(api.orm, async (em) => resumeDeliveries(em, scope, kinds));

async function scene() {
  receiver.behave(responding(200));
  receiver.forget();
  const tenant = await aListeningTenant(api);
  return { tenant, endpoint: await anEndpoint(api, tenant, receiver.url) };
}

const statuses = async (tenant: TestTenant) => (await messages(tenant)).map(({ status }) => status);

describe('a pause of deliveries', () => {
  it.each(['endpoint', 'key', 'all'] as const)(
    'of scope %s keeps messages pending without an attempt until a resume delivers them',
    async (kind) => {
      const { tenant, endpoint } = await scene();
      const scopes = {
        endpoint: { endpointId: endpoint },
        key: { keyId: tenant.keyId },
        all: 'all',
      } as const;
      const scope = scopes[kind];
      const state = await pause(scope);
      expect(state).toMatchObject({ paused: true, keyId: kind === 'all' ? null : tenant.keyId });
      expect(await pause(scope)).toEqual(state);
      await queued(tenant, 3);
      expect(await turn(tenant, endpoint)).toEqual({ nextIn: undefined });
      expect(await statuses(tenant)).toEqual([0, 0, 0]);
      expect(await attempts(tenant)).toEqual([]);
      const resumed = await resume(scope);
      expect(resumed).toMatchObject({ paused: false, pausedAt: null });
      expect(resumed.waiting).toContainEqual({ keyId: tenant.keyId, endpointId: endpoint });
      expect(await resume(scope)).toMatchObject({ paused: false });
      await turn(tenant, endpoint);
      expect(await statuses(tenant)).toEqual([1, 1, 1]);
      expect(receiver.delivered).toHaveLength(3);
    },
  );

  it('does not affect other keys, and ends only when every scope is resumed', async () => {
    const { tenant, endpoint } = await scene();
    const other = await scene();
    await pause({ keyId: tenant.keyId });
    await pause({ endpointId: endpoint });
    for (const each of [tenant, other.tenant]) await queued(each, 1);
    await turn(other.tenant, other.endpoint);
    expect(await statuses(other.tenant)).toEqual([1]);
    const resumed = await resume({ endpointId: endpoint });
    expect(resumed).toMatchObject({ paused: true, pausedAt: null, waiting: [] });
    await turn(tenant, endpoint);
    expect(await statuses(tenant)).toEqual([0]);
    await resume({ keyId: tenant.keyId });
    await turn(tenant, endpoint);
    expect(await statuses(tenant)).toEqual([1]);
  });

  it('stops a running turn, which records requests in flight and starts no other', async () => {
    const { tenant, endpoint } = await scene();
    const held: (() => void)[] = [];
    receiver.behave((_delivered, response) => void held.push(() => response.writeHead(200).end()));
    await queued(tenant, 20);
    const running = turn(tenant, endpoint, { share: 2, signal: new AbortController().signal });
    await eventually(() => receiver.delivered.length === 2);
    await pause({ endpointId: endpoint });
    receiver.behave(responding(200));
    for (const respond of held) respond();
    expect(await running).toEqual({ nextIn: undefined });
    expect(receiver.delivered).toHaveLength(2);
    expect((await statuses(tenant)).filter((status) => status === 1)).toHaveLength(2);
    await resume({ endpointId: endpoint });
    await turn(tenant, endpoint);
    expect(receiver.ids().size).toBe(20);
    expect((await messages(tenant)).every((message) => message.attempts === 1)).toBe(true);
  });

  it('does not count toward the five days after which a failing endpoint is disabled', async () => {
    const { tenant, endpoint } = await scene();
    receiver.behave(responding(500));
    await queued(tenant, 2);
    await turn(tenant, endpoint);
    await api.database.sql(
      `update webhook_endpoint set failing_since = now() - interval '6 days' where public_id = $1`,
      [endpoint],
    );
    await pause({ endpointId: endpoint });
    await resume({ endpointId: endpoint });
    await later(tenant, '6 seconds');
    await turn(tenant, endpoint);
    const disabled = async () =>
      api.database.sql(
        'select disabled_at is not null as disabled from webhook_endpoint where public_id = $1',
        [endpoint],
      );
    expect(await disabled()).toEqual([{ disabled: false }]);
    await api.database.sql(`update webhook_pause set resumed_at = now() - interval '6 days'`);
    await later(tenant, '400 seconds');
    await turn(tenant, endpoint);
    expect(await disabled()).toEqual([{ disabled: true }]);
  });

  it('suspends the sweep’s wakes, except those of disabled endpoints', async () => {
    const { tenant, endpoint } = await scene();
    const { tenant: other, endpoint: disabled } = await scene();
    for (const each of [tenant, other]) await queued(each, 1);
    for (const each of [tenant, other]) await later(each, '30 seconds');
    await pause('all');
    await api.database.sql('update webhook_endpoint set disabled_at = now() where public_id = $1', [
      disabled,
    ]);
    const found = async (served: readonly number[]) =>
      (await endpointsWithOldMessages(api.orm.em.fork(), served)).found.map(({ endpointId }) => endpointId);
    const ids = await found(kinds);
    await resume('all');
    expect(ids).toContain(disabled);
    expect(ids).not.toContain(endpoint);
    // Their messages are canceled also while another provider is configured.
    const others = await found([1, 2, 3]);
    expect(others).toContain(disabled);
    expect(others).not.toContain(endpoint);
  });

  it('refuses an unknown key and an unknown endpoint', async () => {
    for (const act of [pause, resume]) {
      await expect(act({ keyId: 'akid_missing' })).rejects.toMatchObject({ status: 'NOT_FOUND' });
      await expect(act({ endpointId: 'ep_missing' })).rejects.toMatchObject({ status: 'NOT_FOUND' });
    }
  });

  it('is deleted with its endpoint, and 5 days after its end', async () => {
    const { tenant, endpoint } = await scene();
    await pause({ endpointId: endpoint });
    await pause({ keyId: tenant.keyId });
    await tenant.ok('/v2/workspace/advancedwebhook/endpoints/delete', { endpointId: endpoint });
    await api.database.sql(
      `update webhook_endpoint set deleted_at = now() - interval '2 minutes' where api_key_id = $1`,
      [tenant.id],
    );
    for await (const _ of purgeDeletedEndpoints(api.orm));
    const left = async () =>
      api.database.sql('select endpoint_id from webhook_pause where api_key_id = $1', [tenant.id]);
    expect(await left()).toEqual([{ endpoint_id: '0' }]);
    await resume({ keyId: tenant.keyId });
    await deleteEndedPauses(api.orm.em.fork());
    expect(await left()).toHaveLength(1);
    await api.database.sql(`update webhook_pause set resumed_at = now() - interval '6 days'`);
    await deleteEndedPauses(api.orm.em.fork());
    expect(await left()).toEqual([]);
  });

  it('is found by an index', async () => {
    const { tenant, endpoint } = await scene();
    const sent = await statementsOf(async () => {
      for (const scope of ['all', { keyId: tenant.keyId }, { endpointId: endpoint }] as const) {
        await pause(scope);
        await resume(scope);
      }
      await deleteEndedPauses(api.orm.em.fork());
    });
    for (const text of new Set(sent.map((statement) => statement.text))) {
      if (!/^\s*(?:select|with|insert|update|delete)/.test(text)) continue;
      const { wholeTables } = await explain(api.database, { text });
      expect({ text, wholeTables }).toEqual({ text, wholeTables: [] });
    }
  });
});
