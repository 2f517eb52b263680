import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { cancelWaiting } from '../../../domain/webhooks/delivery/cancel-waiting.ts';
import { waitingEndpoints } from '../../../domain/webhooks/endpoints/waiting-endpoints.ts';
import { servedKinds } from '../../../domain/webhooks/provider.ts';
import { svixProvider } from '../../../domain/webhooks/svix/svix-provider.ts';
import { eventually } from '../../support/eventually.ts';
import { responding } from '../../support/receiver.ts';
import { anEndpoint } from '../../support/webhooks.ts';
import { deliveryScene } from './delivery-scene.ts';

const { api, database, turn, queued, messages, later, receiving, listening } = await deliveryScene();

describe('an endpoint that is not open', () => {
  it.each(['disabled_at', 'deleted_at'])(
    'receives nothing after its %s is set, and its pending messages are canceled',
    async (column) => {
      const { tenant, receiver, endpoint } = await listening();
      receiver.behave((_, response) => void setTimeout(() => response.end(), 100));
      await queued(tenant, 1_500);
      const turning = turn(tenant, endpoint, { share: 5 });
      await eventually(() => receiver.delivered.length >= 10);
      await database.sql(
        `with e as (select id from webhook_endpoint where public_id = $1 for update)
      update webhook_endpoint w set ${column} = now() from e where w.id = e.id`,
        [endpoint],
      );
      const respondedAt = Date.now();
      expect(await turning).toEqual({ nextIn: undefined });
      // Only requests that are already connecting arrive later. All 1,500 would take 30 s.
      expect(receiver.delivered.filter(({ at }) => at > respondedAt + 20_000)).toEqual([]);
      const states = await messages(tenant);
      expect(states.filter(({ status }) => status === 1)).toHaveLength(receiver.delivered.length);
      expect(states.filter(({ status }) => status === 3)).toHaveLength(1_500 - receiver.delivered.length);
      expect(states.at(-1)).toMatchObject({
        status_reason: column === 'disabled_at' ? 'The endpoint was disabled.' : 'The endpoint was deleted.',
        due_in: null,
      });
    },
  );

  it('is asked again while another transaction locks its last pending message', async () => {
    const { tenant, endpoint } = await listening();
    await queued(tenant, 2);
    await database.sql('update webhook_endpoint set disabled_at = now() where public_id = $1', [endpoint]);
    const other = await database.connect();
    await other.query('begin');
    await other.query('select from delivery where api_key_id = $1 and sequence = 1 for update', [tenant.id]);
    expect(await turn(tenant, endpoint)).toEqual({ nextIn: 1_000 });
    expect(await messages(tenant)).toMatchObject([{ status: 0 }, { status: 3 }]);
    await other.query('rollback');
    await turn(tenant, endpoint);
    expect(await messages(tenant)).toMatchObject([{ status: 3 }, { status: 3 }]);
  });

  it('keeps its messages when it is enabled after a turn saw it disabled', async () => {
    const { tenant, receiver, endpoint } = await listening();
    await queued(tenant);
    const [row] = await database.sql<{ id: string }>(
      'update webhook_endpoint set disabled_at = now() where public_id = $1 returning id',
      [endpoint],
    );
    const enabling = await database.connect();
    await enabling.query('begin');
    await enabling.query('select from webhook_endpoint where public_id = $1 for update', [endpoint]);
    await enabling.query('update webhook_endpoint set disabled_at = null where public_id = $1', [endpoint]);
    const seen = { id: row?.id ?? '', tenantId: tenant.id };
    const canceling = cancelWaiting(api.orm.em.fork(), seen, 'disabled');
    const waits = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like 'with closed as%'`;
    await eventually(async () => (await database.sql(waits)).length === 1);
    await enabling.query('commit');
    expect(await canceling).toBe('locked');
    await turn(tenant, endpoint);
    expect(receiver.delivered).toHaveLength(1);
  });

  it('holds messages while encryption is on without a public key', async () => {
    const { tenant, receiver, endpoint } = await listening({}, { encryptData: true });
    await queued(tenant);
    expect(await turn(tenant, endpoint)).toEqual({ nextIn: undefined });
    expect(receiver.delivered).toEqual([]);
    expect(await messages(tenant)).toMatchObject([{ status: 0, attempts: 0 }]);
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { encryptData: false });
    await turn(tenant, endpoint);
    expect(receiver.delivered).toHaveLength(1);
  });

  it('holds messages whose stored public key is not usable, until another one is set', async () => {
    const publicKey = generateKeyPairSync('rsa', { modulusLength: 2_048 })
      .publicKey.export({ format: 'der', type: 'spki' })
      .toString('base64');
    const { tenant, receiver, endpoint } = await listening({}, { encryptData: true, publicKey });
    await database.sql(
      `update key_config set config = config || '{"publicKey": "x"}' where api_key_id = $1 and kind = 'advancedwebhook'`,
      [tenant.id],
    );
    await queued(tenant);
    expect(await turn(tenant, endpoint)).toEqual({ nextIn: undefined });
    expect(await messages(tenant)).toMatchObject([{ status: 0, attempts: 0 }]);
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { publicKey });
    await turn(tenant, endpoint);
    expect(receiver.delivered).toHaveLength(1);
  });

  it('holds messages while advanced webhooks are off', async () => {
    const { tenant, receiver, endpoint } = await listening();
    await queued(tenant);
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: false });
    expect(await turn(tenant, endpoint)).toEqual({ nextIn: undefined });
    expect(receiver.delivered).toEqual([]);
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await turn(tenant, endpoint);
    expect(receiver.delivered).toHaveLength(1);
  });

  it('of Steward holds messages while Svix is the provider, and those of Svix’s application wait for Svix', async () => {
    const svix = svixProvider({ token: 'testsk', serverUrl: 'http://127.0.0.1:1' });
    const { tenant, receiver, endpoint } = await listening();
    const woken = async (provider: 'embedded' | 'svix') =>
      (await waitingEndpoints(api.orm.em.fork(), [tenant.id], servedKinds(provider))).map(
        ({ endpointId }) => endpointId,
      );
    await queued(tenant);
    expect(await turn(tenant, endpoint, { webhooks: svix })).toEqual({ nextIn: undefined });
    expect(receiver.delivered).toEqual([]);
    expect(await messages(tenant)).toMatchObject([{ status: 0, attempts: 0 }]);
    expect([await woken('svix'), await woken('embedded')]).toEqual([[], [endpoint]]);
    await turn(tenant, endpoint);
    expect(receiver.delivered).toHaveLength(1);
    await queued(tenant);
    await database.sql(`update webhook_endpoint set kind = 3, provider_id = 'app' where public_id = $1`, [
      endpoint,
    ]);
    expect(await turn(tenant, endpoint)).toEqual({ nextIn: undefined });
    expect(await messages(tenant)).toMatchObject([{ status: 1 }, { status: 0, attempts: 0 }]);
    expect([await woken('svix'), await woken('embedded')]).toEqual([[endpoint], []]);
  });

  it('counts its five days anew after advanced webhooks were off or held, and at a new URL', async () => {
    const { tenant, receiver, endpoint } = await listening();
    receiver.behave(responding(500));
    await queued(tenant, [{}]);
    await turn(tenant, endpoint);
    const failing = async () => {
      await database.sql(
        `update webhook_endpoint set failing_since = now() - interval '6 days' where public_id = $1`,
        [endpoint],
      );
    };
    const isFailing = async () =>
      (
        await database.sql(
          'select 1 from webhook_endpoint where public_id = $1 and failing_since is not null',
          [endpoint],
        )
      ).length === 1;
    await failing();
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { encodeData: true });
    expect(await isFailing()).toBe(true);
    for (const isEnabled of [false, true])
      await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled });
    expect(await isFailing()).toBe(false);
    await failing();
    // Encryption without a key holds all messages.
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { encryptData: true });
    expect(await isFailing()).toBe(true);
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { encryptData: false });
    expect(await isFailing()).toBe(false);
    await failing();
    const update = '/v2/workspace/advancedwebhook/endpoints/update';
    await tenant.ok(update, { endpointId: endpoint, description: 'Same URL' });
    expect(await isFailing()).toBe(true);
    await tenant.ok(update, { endpointId: endpoint, url: (await receiving()).url });
    expect(await isFailing()).toBe(false);
  });

  it('is not disabled by 410 Gone of its former URL, and receives the message at its new one', async () => {
    const { tenant, receiver, endpoint } = await listening();
    const next = await receiving();
    receiver.behave((_, response) => {
      const update = { endpointId: endpoint, url: next.url };
      void tenant.ok('/v2/workspace/advancedwebhook/endpoints/update', update).then(() => {
        response.statusCode = 410;
        response.end();
      });
    });
    await queued(tenant, [{}]);
    await turn(tenant, endpoint);
    expect(await messages(tenant)).toMatchObject([{ status: 0, attempts: 1, step: 1 }]);
    await later(tenant, '6 seconds');
    await turn(tenant, endpoint);
    await queued(tenant, [{}]);
    await turn(tenant, endpoint);
    expect(next.delivered).toHaveLength(2);
  });

  it('gets no further attempt once 410 Gone has disabled it', async () => {
    const { tenant, receiver, endpoint } = await listening();
    receiver.behave(responding(410));
    await queued(tenant, 20);
    await turn(tenant, endpoint, { share: 1 });
    expect(receiver.delivered).toHaveLength(1);
  });

  it('gets a later updatedAt when 410 Gone disables it, also after one in the future', async () => {
    const { tenant, receiver, endpoint } = await listening();
    receiver.behave(responding(410));
    await queued(tenant, [{}]);
    await database.sql(
      `update webhook_endpoint set updated_at = '2100-01-01T00:00:00Z' where public_id = $1`,
      [endpoint],
    );
    await turn(tenant, endpoint);
    expect(
      await database.sql(
        `select disabled_at is not null as disabled, updated_at::text from webhook_endpoint where public_id = $1`,
        [endpoint],
      ),
    ).toEqual([{ disabled: true, updated_at: '2100-01-01 00:00:00.001+00' }]);
  });

  it('is disabled by 410 Gone, and other endpoints receive endpoint.disabled', async () => {
    const { tenant, receiver, endpoint } = await listening();
    const other = await anEndpoint(api, tenant, (await receiving()).url);
    receiver.behave(responding(410));
    await queued(tenant, [{}]);
    await turn(tenant, endpoint);
    expect(
      await database.sql(
        `select public_id, disabled_reason from webhook_endpoint where disabled_at is not null`,
      ),
    ).toContainEqual({
      public_id: endpoint,
      disabled_reason: 'The endpoint responded with 410 Gone.',
    });
    expect(await messages(tenant)).toMatchObject([{ status: 2, attempts: 1 }, { status: 0 }]);
    await queued(tenant, [{}]);
    const notified = await database.sql(
      `select w.public_id, e.payload from delivery d join webhook_endpoint w on w.id = d.endpoint_id
       join event e on e.at = d.event_at and e.id = d.event_id where e.type = 'endpoint.disabled' and d.api_key_id = $1`,
      [tenant.id],
    );
    expect(notified).toEqual([
      {
        public_id: other,
        payload: { endpointId: endpoint, url: receiver.url, reason: 'The endpoint responded with 410 Gone.' },
      },
    ]);
  });

  it('is disabled by a failure 5 days after the first one without a success, and not before', async () => {
    const { tenant, receiver, endpoint } = await listening();
    const failedFor = async (interval: string) =>
      database.sql(`update webhook_endpoint set failing_since = now() - $2::interval where public_id = $1`, [
        endpoint,
        interval,
      ]);
    const state = async () =>
      (
        await database.sql<{ disabled: boolean; failing: boolean; disabled_reason: string | null }>(
          `select disabled_at is not null as disabled, failing_since is not null as failing, disabled_reason
           from webhook_endpoint where public_id = $1`,
          [endpoint],
        )
      )[0];
    receiver.behave(responding(500));
    await queued(tenant);
    await turn(tenant, endpoint);
    expect(await state()).toMatchObject({ disabled: false, failing: true });
    await failedFor('5 days 1 minute');
    receiver.behave(responding(204));
    await queued(tenant);
    await turn(tenant, endpoint);
    expect(await state()).toMatchObject({ disabled: false, failing: false });
    receiver.behave(responding(500));
    await queued(tenant);
    await turn(tenant, endpoint);
    await failedFor('4 days 23 hours');
    await later(tenant, '6 minutes');
    await turn(tenant, endpoint);
    expect(await state()).toMatchObject({ disabled: false });
    await failedFor('5 days 1 minute');
    await later(tenant, '40 minutes');
    await turn(tenant, endpoint);
    expect(await state()).toEqual({
      disabled: true,
      failing: true,
      disabled_reason: 'The endpoint has failed for 5 days without a success.',
    });
  });
});
