import type { ServerResponse } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { webhookSecretContext } from '../../../domain/webhooks/endpoints/secret-context.ts';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestTenant } from '../../support/factories.ts';
import { responding, aReceiver, hanging, type Receiver } from '../../support/receiver.ts';
import { aListeningTenant, anEndpoint } from '../../support/webhooks.ts';
import { turnsOf } from './turns.ts';

const api = await startTestApi();
const { turn, queued, messages, attempts, later, close, unexpectedErrors } = turnsOf(api);
const receivers: Receiver[] = [];
afterAll(async () => {
  await Promise.all(receivers.map(async (receiver) => receiver.close()));
  await close();
  await api.close();
});
const { database } = api;

async function receiving(): Promise<Receiver> {
  const receiver = await aReceiver();
  receivers.push(receiver);
  return receiver;
}

async function scene(members: Parameters<typeof anEndpoint>[3] = {}, configuration: object = {}) {
  const tenant = await aListeningTenant(api, configuration);
  const receiver = await receiving();
  const endpoint = await anEndpoint(api, tenant, receiver.url, members);
  return { tenant, receiver, endpoint };
}

async function secretOf(tenant: TestTenant, endpoint: string): Promise<string> {
  const [row] = await database.sql<{ secret_enc: Buffer }>(
    'select secret_enc from webhook_endpoint where public_id = $1',
    [endpoint],
  );
  return api.keyRing.decrypt(
    row?.secret_enc ?? Buffer.alloc(0),
    webhookSecretContext('secret_enc', { publicId: endpoint, apiKeyId: tenant.id }),
  );
}

const done = { status: 1, status_reason: null, attempts: 1, step: 1, resends: 0, due_in: null };

describe('a delivery turn', () => {
  it('sends in the order of numbers when one request may be in flight', async () => {
    const { tenant, receiver, endpoint } = await scene();
    await queued(tenant, 10);
    await queued(tenant, 10);
    await turn(tenant, endpoint, { share: 1 });
    const numbers = receiver.delivered.map(({ body }) => body.sequence);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  });

  it('sends each message once, signed and numbered, over reused connections, and records its attempt', async () => {
    const { tenant, receiver, endpoint } = await scene();
    await queued(tenant, 120);
    expect(await turn(tenant, endpoint, { share: 10 })).toEqual({ nextIn: undefined });
    expect(receiver.delivered).toHaveLength(120);
    expect(receiver.ids().size).toBe(120);
    expect(receiver.connections()).toBeLessThanOrEqual(20);
    const numbers = receiver.delivered.map(({ body }) => body.sequence ?? 0).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 120 }, (_, at) => at + 1));
    const [first] = receiver.delivered;
    expect(first?.headers).toMatchObject({
      'webhook-epoch': '1',
      'content-type': 'application/json',
      'webhook-id': first?.body.webhookId,
    });
    const verified = new Webhook(await secretOf(tenant, endpoint)).verify(
      first?.text ?? '',
      first?.headers as Record<string, string>,
    );
    expect(verified).toEqual(first?.body);
    expect(first?.body).toMatchObject({ event: 'comment.add', source: 'comment', version: 1 });
    expect(await messages(tenant)).toEqual(Array.from({ length: 120 }, () => done));
    expect((await attempts(tenant)).slice(0, 1)).toEqual([
      { no: 1, trigger: 0, status: 1, http_status: 200, error: null, response: '' },
    ]);
    expect(unexpectedErrors).toEqual([]);
  });

  it('does not send a message that another process has claimed until the claim ends', async () => {
    const { tenant, receiver, endpoint } = await scene();
    await queued(tenant, 2);
    await database.sql(
      `update delivery set claimed_until = now() + interval '30 seconds' where api_key_id = $1 and sequence = 1`,
      [tenant.id],
    );
    const { nextIn } = await turn(tenant, endpoint);
    expect(nextIn).toBeGreaterThan(0);
    expect(receiver.delivered.map(({ body }) => body.sequence)).toEqual([2]);
    await later(tenant, '31 seconds');
    await turn(tenant, endpoint);
    expect(receiver.delivered.map(({ body }) => body.sequence)).toEqual([2, 1]);
  });

  it.each([503, 200])(
    'does not record a response %i after its claim ended and another process claimed the message',
    async (status) => {
      const { tenant, receiver, endpoint } = await scene();
      await queued(tenant, 1);
      const responses: (() => void)[] = [];
      const stopping = new AbortController();
      receiver.behave((...call) => void responses.push(() => responding(status)(...call)));
      // With a share of one, it cannot claim its own message again when the claim ends.
      const first = turn(tenant, endpoint, { share: 1, signal: stopping.signal });
      await eventually(() => responses.length === 1);
      const [respondFirst] = responses;
      await later(tenant, '31 seconds');
      receiver.behave((...call) => void responses.push(() => responding(200)(...call)));
      const second = turn(tenant, endpoint);
      await eventually(() => responses.length === 2);
      respondFirst?.();
      stopping.abort();
      await first;
      expect(await attempts(tenant)).toEqual([]);
      responses[1]?.();
      await second;
      expect(await messages(tenant)).toEqual([done]);
      expect(await attempts(tenant)).toMatchObject([{ no: 1, status: 1, http_status: 200 }]);
    },
  );

  it('sends new messages while another request hangs', async () => {
    const { tenant, receiver, endpoint } = await scene();
    const held: ServerResponse[] = [];
    receiver.behave((delivered, response) => {
      if (delivered.body.sequence === 1) held.push(response);
      else response.end();
    });
    await queued(tenant, 1);
    const turning = turn(tenant, endpoint);
    await eventually(() => receiver.delivered.length === 1);
    await queued(tenant, 3);
    await eventually(() => receiver.delivered.length === 4);
    for (const response of held) response.end();
    await turning;
    expect(await messages(tenant)).toEqual([done, done, done, done]);
  });

  it('does not exceed its share of requests in flight', async () => {
    const { tenant, receiver, endpoint } = await scene();
    receiver.behave((_, response) => void setTimeout(() => response.end(), 30));
    await queued(tenant, 40);
    await turn(tenant, endpoint, { share: 4 });
    expect(receiver.delivered).toHaveLength(40);
    expect(receiver.abreast()).toBeLessThanOrEqual(4);
  });

  it('spreads the messages of an endpoint with a rate limit, also over consecutive turns', async () => {
    const { tenant, receiver, endpoint } = await scene({ rateLimit: 10 });
    await queued(tenant, 12);
    await turn(tenant, endpoint);
    await queued(tenant, 3);
    await turn(tenant, endpoint);
    const times = receiver.delivered.map(({ at }) => at);
    expect(times).toHaveLength(15);
    // At 100 ms apart they take 1,400 ms; a slow receiver may record the first ones late.
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(700);
  });

  it('claims nothing after its signal aborts, and records the requests in flight', async () => {
    const { tenant, receiver, endpoint } = await scene();
    const stopping = new AbortController();
    receiver.behave((_, response) => void setTimeout(() => response.end(), 300));
    await queued(tenant, 20);
    const turning = turn(tenant, endpoint, { share: 5, signal: stopping.signal });
    await eventually(() => receiver.delivered.length === 5);
    stopping.abort();
    expect(await turning).toEqual({ nextIn: 0 });
    expect(receiver.delivered).toHaveLength(5);
    expect((await messages(tenant)).filter(({ status }) => status === 1)).toHaveLength(5);
  });
});

describe('a failed attempt', () => {
  it('is retried by the schedule under the same id, each time with a new signature, until the schedule is over', async () => {
    const { tenant, receiver, endpoint } = await scene();
    receiver.behave(responding(500, {}, `sorry \u0000${'é'.repeat(2_000)}`));
    await queued(tenant);
    const { nextIn = 0 } = await turn(tenant, endpoint);
    expect(nextIn).toBeGreaterThan(0);
    expect(nextIn).toBeLessThanOrEqual(5_500);
    await later(tenant, '6 seconds');
    const { nextIn: second = 0 } = await turn(tenant, endpoint);
    expect(second).toBeGreaterThan(200_000);
    await later(tenant, '6 minutes');
    expect(await turn(tenant, endpoint)).toEqual({ nextIn: undefined });
    expect(await messages(tenant)).toEqual([
      {
        status: 2,
        status_reason: 'The endpoint responded with 500.',
        attempts: 3,
        step: 3,
        resends: 0,
        due_in: null,
      },
    ]);
    const logged = await attempts(tenant);
    expect(logged.map(({ no, status, http_status }) => [no, status, http_status])).toEqual([
      [1, 2, 500],
      [2, 2, 500],
      [3, 2, 500],
    ]);
    expect(Buffer.byteLength(logged[0]?.response ?? '')).toBeLessThanOrEqual(1_024);
    expect(logged[0]?.response).toMatch(/^sorry é+$/);
    expect(receiver.ids().size).toBe(1);
    expect(new Set(receiver.delivered.map(({ text }) => text)).size).toBe(1);
  });

  it('is recorded when the response is a redirect, which is not followed', async () => {
    const { tenant, receiver, endpoint } = await scene();
    const target = await receiving();
    for (const status of [301, 302, 307, 308]) {
      receiver.behave(responding(status, { location: target.url }));
      await queued(tenant);
      await turn(tenant, endpoint);
    }
    expect(target.delivered).toEqual([]);
    expect((await attempts(tenant)).map(({ http_status, status }) => [http_status, status])).toEqual([
      [301, 2],
      [302, 2],
      [307, 2],
      [308, 2],
    ]);
  });

  it('is retried after Retry-After, in seconds or as a date', async () => {
    for (const ask of ['3600', new Date(Date.now() + 3_600_000).toUTCString()]) {
      const { tenant, receiver, endpoint } = await scene();
      receiver.behave(responding(503, { 'retry-after': ask }));
      await queued(tenant);
      const { nextIn = 0 } = await turn(tenant, endpoint);
      expect(nextIn).toBeGreaterThan(3_000_000);
      expect(nextIn).toBeLessThanOrEqual(3_600_000);
    }
  });

  it('is recorded after 15 seconds without a response', async () => {
    const { tenant, receiver, endpoint } = await scene();
    receiver.behave(hanging);
    await queued(tenant);
    const began = Date.now();
    await turn(tenant, endpoint);
    expect(Date.now() - began).toBeLessThan(150_000);
    expect(await attempts(tenant)).toMatchObject([{ http_status: null, error: 'The request timed out.' }]);
  });

  it('is recorded when the connection or the address is refused', async () => {
    const tenant = await aListeningTenant(api);
    const endpoints = [
      await anEndpoint(api, tenant, 'http://127.0.0.1:1/hook'),
      await anEndpoint(api, tenant, 'http://169.254.169.254/hook'),
    ];
    await queued(tenant);
    for (const endpoint of endpoints) await turn(tenant, endpoint);
    expect((await attempts(tenant)).map(({ http_status, error }) => [http_status, error])).toEqual([
      [null, 'The connection failed.'],
      [null, 'The host has a private or reserved address.'],
    ]);
  });
});

describe('a requested attempt', () => {
  const resend = async (tenant: TestTenant): Promise<unknown> =>
    database.sql(
      'update delivery set status = 0, resends = resends + 1, next_at = now() where api_key_id = $1',
      [tenant.id],
    );

  it('is made under the same id, and is not retried when it fails', async () => {
    const { tenant, receiver, endpoint } = await scene();
    await queued(tenant);
    await turn(tenant, endpoint);
    receiver.behave(responding(500));
    await resend(tenant);
    expect(await turn(tenant, endpoint)).toEqual({ nextIn: undefined });
    expect(await messages(tenant)).toMatchObject([
      { status: 2, attempts: 2, step: 1, resends: 0, due_in: null },
    ]);
    receiver.behave(responding(200));
    await resend(tenant);
    await turn(tenant, endpoint);
    expect(await messages(tenant)).toMatchObject([{ status: 1, attempts: 3, step: 1 }]);
    expect((await attempts(tenant)).map(({ trigger }) => trigger)).toEqual([0, 1, 1]);
    expect(receiver.ids().size).toBe(1);
  });

  it('keeps the retry schedule when it fails, and ends it when it succeeds', async () => {
    const { tenant, receiver, endpoint } = await scene();
    receiver.behave(responding(500));
    await queued(tenant);
    await turn(tenant, endpoint);
    await resend(tenant);
    const { nextIn = 0 } = await turn(tenant, endpoint);
    expect(nextIn).toBeGreaterThan(0);
    expect(await messages(tenant)).toMatchObject([{ status: 0, attempts: 2, step: 1 }]);
    receiver.behave(responding(200));
    await resend(tenant);
    await turn(tenant, endpoint);
    expect(await messages(tenant)).toMatchObject([{ status: 1, attempts: 3, due_in: null }]);
  });

  it('is made after an attempt in flight', async () => {
    const { tenant, receiver, endpoint } = await scene();
    receiver.behave((_, response) => void setTimeout(() => response.end(), 300));
    await queued(tenant);
    const turning = turn(tenant, endpoint);
    await eventually(() => receiver.delivered.length === 1);
    await resend(tenant);
    await turning;
    expect(receiver.delivered).toHaveLength(2);
    expect(await messages(tenant)).toMatchObject([{ status: 1, attempts: 2, resends: 0 }]);
  });
});

describe('an endpoint that is not open', () => {
  it.each(['disabled_at', 'deleted_at'])(
    'receives nothing after its %s is set, and its pending messages are canceled',
    async (column) => {
      const { tenant, receiver, endpoint } = await scene();
      receiver.behave((_, response) => void setTimeout(() => response.end(), 100));
      await queued(tenant, 1_500);
      const turning = turn(tenant, endpoint, { share: 5 });
      await eventually(() => receiver.delivered.length >= 10);
      await database.sql(
        `with e as (select id from webhook_endpoint where public_id = $1 for update)
      update webhook_endpoint w set ${column} = now() from e where w.id = e.id`,
        [endpoint],
      );
      const answered = Date.now();
      expect(await turning).toEqual({ nextIn: undefined });
      // Only requests already connecting arrive later; all 1,500 would take 30 s.
      expect(receiver.delivered.filter(({ at }) => at > answered + 5_000)).toEqual([]);
      const states = await messages(tenant);
      expect(states.filter(({ status }) => status === 1)).toHaveLength(receiver.delivered.length);
      expect(states.filter(({ status }) => status === 3)).toHaveLength(1_500 - receiver.delivered.length);
      expect(states.at(-1)).toMatchObject({
        status_reason: column === 'disabled_at' ? 'The endpoint was disabled.' : 'The endpoint was deleted.',
        due_in: null,
      });
    },
  );

  it('holds messages while encryption is on without a public key', async () => {
    const { tenant, receiver, endpoint } = await scene({}, { encryptData: true });
    await queued(tenant);
    expect(await turn(tenant, endpoint)).toEqual({ nextIn: undefined });
    expect(receiver.delivered).toEqual([]);
    expect(await messages(tenant)).toMatchObject([{ status: 0, attempts: 0 }]);
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { encryptData: false });
    await turn(tenant, endpoint);
    expect(receiver.delivered).toHaveLength(1);
  });

  it('holds messages while advanced webhooks are off', async () => {
    const { tenant, receiver, endpoint } = await scene();
    await queued(tenant);
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: false });
    expect(await turn(tenant, endpoint)).toEqual({ nextIn: undefined });
    expect(receiver.delivered).toEqual([]);
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await turn(tenant, endpoint);
    expect(receiver.delivered).toHaveLength(1);
  });

  it('is disabled by 410 Gone, and other endpoints receive endpoint.disabled', async () => {
    const { tenant, receiver, endpoint } = await scene();
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
    const heard = await database.sql(
      `select w.public_id, e.payload from delivery d join webhook_endpoint w on w.id = d.endpoint_id
       join event e on e.at = d.event_at and e.id = d.event_id where e.type = 'endpoint.disabled' and d.api_key_id = $1`,
      [tenant.id],
    );
    expect(heard).toEqual([
      {
        public_id: other,
        payload: { endpointId: endpoint, url: receiver.url, reason: 'The endpoint responded with 410 Gone.' },
      },
    ]);
  });

  it('is disabled when two messages have failed for 5 days without a success, and not before', async () => {
    const { tenant, receiver, endpoint } = await scene();
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
    await later(tenant, '6 seconds');
    await turn(tenant, endpoint);
    expect(await state()).toMatchObject({ disabled: false });
    receiver.behave(responding(204));
    await queued(tenant);
    await turn(tenant, endpoint);
    expect(await state()).toMatchObject({ disabled: false, failing: false });
    receiver.behave(responding(500));
    await queued(tenant, 2);
    await turn(tenant, endpoint);
    await failedFor('4 days 23 hours');
    await later(tenant, '6 minutes');
    await turn(tenant, endpoint);
    expect(await state()).toMatchObject({ disabled: false });
    await failedFor('5 days 1 minute');
    await queued(tenant);
    await turn(tenant, endpoint);
    expect(await state()).toEqual({
      disabled: true,
      failing: true,
      disabled_reason: 'The endpoint has failed for 5 days without a success.',
    });
  });
});
