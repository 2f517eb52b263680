import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { webhookSecretContext } from '../../../domain/webhooks/endpoints/secret-context.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestTenant } from '../../support/factories.ts';
import { responding } from '../../support/receiver.ts';
import { deliveryScene, done } from './delivery-scene.ts';

const { api, database, turn, queued, messages, attempts, later, unexpectedErrors, listening } =
  await deliveryScene();

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

describe('a delivery turn', () => {
  it('sends messages in sequence order when only one request may be in flight', async () => {
    const { tenant, receiver, endpoint } = await listening();
    await queued(tenant, 10);
    await queued(tenant, 10);
    await turn(tenant, endpoint, { share: 1 });
    const numbers = receiver.delivered.map(({ body }) => body.sequence);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  });

  it('sends all due messages of earlier days, then those of today', async () => {
    const { tenant, receiver, endpoint } = await listening();
    await queued(tenant, 30);
    await database.sql(
      `with e as (update event set at = at - interval '5 days' where api_key_id = $1)
       update delivery set event_at = event_at - interval '5 days' where api_key_id = $1`,
      [tenant.id],
    );
    await queued(tenant, 5);
    const one = new AbortController();
    expect(await turn(tenant, endpoint, { share: 10, signal: one.signal })).toEqual({ nextIn: undefined });
    const numbers = receiver.delivered.map(({ body }) => body.sequence ?? 0);
    expect(numbers.slice(0, 30).every((number) => number <= 30)).toBe(true);
    expect(numbers).toHaveLength(35);
  });

  it('sends each message once, signed and numbered, over reused connections, and records its attempt', async () => {
    const { tenant, receiver, endpoint } = await listening();
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
    const { tenant, receiver, endpoint } = await listening();
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

  it('is followed by the next one when a message is due, although the process of an earlier turn has crashed', async () => {
    const { tenant, receiver, endpoint } = await listening();
    receiver.behave(responding(500));
    await queued(tenant, 2);
    await turn(tenant, endpoint);
    await database.sql(
      `update delivery set next_at = now() - interval '1 second', claimed_until = now() + interval '30 seconds'
       where api_key_id = $1 and sequence = 1`,
      [tenant.id],
    );
    const { nextIn } = await turn(tenant, endpoint);
    expect(nextIn).toBeGreaterThan(0);
    expect(nextIn).toBeLessThanOrEqual(10_000);
    await later(tenant, '-1 hour');
    await database.sql(
      `update delivery set next_at = now(), claimed_until = now() + interval '1 minute'
       where api_key_id = $1 and sequence = 1`,
      [tenant.id],
    );
    expect((await turn(tenant, endpoint)).nextIn).toBeLessThanOrEqual(60_000);
  });

  it.each([503, 200])(
    'does not record a response %i after its claim ended and another process claimed the message',
    async (status) => {
      const { tenant, receiver, endpoint } = await listening();
      await queued(tenant, 1);
      const responses: (() => void)[] = [];
      const stopping = new AbortController();
      receiver.behave((...call) => void responses.push(() => responding(status)(...call)));
      // With a share of one request, it cannot claim its own message again when the claim ends.
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
    const { tenant, receiver, endpoint } = await listening();
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
    const { tenant, receiver, endpoint } = await listening();
    receiver.behave((_, response) => void setTimeout(() => response.end(), 30));
    await queued(tenant, 40);
    await turn(tenant, endpoint, { share: 4 });
    expect(receiver.delivered).toHaveLength(40);
    expect(receiver.abreast()).toBeLessThanOrEqual(4);
  });

  it('spreads the messages of an endpoint with a rate limit, also over consecutive turns', async () => {
    const { tenant, receiver, endpoint } = await listening({ rateLimit: 10 });
    await queued(tenant, 12);
    const began = Date.now();
    await turn(tenant, endpoint);
    await queued(tenant, 3);
    await turn(tenant, endpoint);
    expect(receiver.delivered).toHaveLength(15);
    // At intervals of 100 ms they take 1,400 ms. A slow receiver may record the first one late.
    expect((receiver.delivered.at(-1)?.at ?? 0) - began).toBeGreaterThan(1_000);
  });

  it('keeps the rate limit of an endpoint whose last attempt is later than the time of PostgreSQL', async () => {
    const { tenant, receiver, endpoint } = await listening({ rateLimit: 10 });
    await queued(tenant, 1);
    await turn(tenant, endpoint);
    await database.sql(`update attempt set at = now() + interval '10 minutes' where api_key_id = $1`, [
      tenant.id,
    ]);
    await queued(tenant, 1);
    const startedAt = performance.now();
    await turn(tenant, endpoint);
    expect(receiver.delivered).toHaveLength(2);
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });

  it('claims nothing after its signal aborts, and records the requests in flight', async () => {
    const { tenant, receiver, endpoint } = await listening();
    const stopping = new AbortController();
    const held: ServerResponse[] = [];
    receiver.behave((_, response) => void held.push(response));
    await queued(tenant, 20);
    const turning = turn(tenant, endpoint, { share: 5, signal: stopping.signal });
    await eventually(() => held.length === 5);
    stopping.abort();
    // Only now there is room for other messages.
    for (const response of held) response.end();
    expect(await turning).toEqual({ nextIn: 0 });
    expect(receiver.delivered).toHaveLength(5);
    expect((await messages(tenant)).filter(({ status }) => status === 1)).toHaveLength(5);
  });
});
