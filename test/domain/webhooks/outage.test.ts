import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import type { TestTenant } from '../../support/factories.ts';
import { responding, aReceiver, type Receiver } from '../../support/receiver.ts';
import { aListeningTenant, anEndpoint } from '../../support/webhooks.ts';
import { turnsOf } from './turns.ts';

const api = await startTestApi();
const turns = turnsOf(api);
const { turn, queued, messages, later } = turns;
const receivers: Receiver[] = [];
afterAll(async () => {
  await Promise.all(receivers.map(async (receiver) => receiver.close()));
  await turns.close();
  await api.close();
});

/** Messages whose attempts really fail. Others get the state of one of them, because an attempt takes milliseconds. */
const maxAttempted = 12;

/** A receiver that failed the first two attempts of each message. The third is due in minutes. */
async function outage(count: number, headers: Readonly<Record<string, string>> = {}) {
  const tenant = await aListeningTenant(api);
  const receiver = await aReceiver();
  receivers.push(receiver);
  const endpoint = await anEndpoint(api, tenant, receiver.url);
  receiver.behave(responding(503, headers));
  await queued(tenant, Math.min(count, maxAttempted));
  await turn(tenant, endpoint);
  if (headers['retry-after'] === undefined) {
    await passed(tenant, 6);
    await turn(tenant, endpoint);
  }
  if (count > maxAttempted) await queueFailed(tenant, count - maxAttempted);
  receiver.forget();
  return { tenant, receiver, endpoint };
}

/** Queues messages in the state of those that have failed. */
async function queueFailed(tenant: TestTenant, count: number): Promise<void> {
  await queued(tenant, count);
  await api.database.sql(
    `update delivery d set attempts = f.attempts, step = f.step, retry_at = f.retry_at, next_at = f.next_at
     from (select * from delivery where api_key_id = $1 and attempts > 0 limit 1) f
     where d.api_key_id = $1 and d.attempts = 0`,
    [tenant.id],
  );
}

/** Moves all times into the past by this many seconds. */
async function passed(tenant: TestTenant, seconds: number): Promise<void> {
  const interval = `${String(seconds)} seconds`;
  await later(tenant, interval);
  await api.database.sql('update attempt set at = at - $2::interval where api_key_id = $1', [
    tenant.id,
    interval,
  ]);
  await api.database.sql(
    'update webhook_endpoint set failing_since = failing_since - $2::interval where api_key_id = $1',
    [tenant.id, interval],
  );
}

describe('an outage of an endpoint', () => {
  it('is probed repeatedly by one message, whose schedule does not advance', async () => {
    const { tenant, receiver, endpoint } = await outage(12);
    await passed(tenant, 4);
    const { nextIn = 0 } = await turn(tenant, endpoint);
    expect(receiver.delivered).toHaveLength(1);
    expect(nextIn).toBeGreaterThan(0);
    expect(nextIn).toBeLessThan(5_000);
    await turn(tenant, endpoint);
    expect(receiver.delivered).toHaveLength(1);
    const states = await messages(tenant);
    expect(states.filter(({ attempts, step }) => attempts === 3 && step === 2)).toHaveLength(1);
    expect(states.filter(({ attempts, step }) => attempts === 2 && step === 2)).toHaveLength(11);
    for (const { due_in } of states) expect(due_in).toBeGreaterThan(200);
  });

  it('ends with the first success: all waiting messages become due', async () => {
    const { tenant, receiver, endpoint } = await outage(1_200);
    await passed(tenant, 20);
    receiver.behave(responding(200));
    await turn(tenant, endpoint);
    expect(receiver.delivered).toHaveLength(1_200);
    expect(receiver.ids().size).toBe(1_200);
    expect((await messages(tenant)).every(({ status }) => status === 1)).toBe(true);
  });

  it('ends for all waiting messages although its turn closes before the success', async () => {
    const { tenant, receiver, endpoint } = await outage(1_200);
    await passed(tenant, 20);
    const closing = new AbortController();
    receiver.behave((_, response) => {
      closing.abort();
      response.end();
    });
    await turn(tenant, endpoint, { signal: closing.signal });
    expect(receiver.delivered).toHaveLength(1);
    receiver.behave(responding(200));
    await turn(tenant, endpoint);
    expect(receiver.ids().size).toBe(1_200);
  });

  it('of minutes also ends for a message behind 1,000 others that was probed many times', async () => {
    const { tenant, receiver, endpoint } = await outage(1_200);
    await passed(tenant, 20);
    await api.database.sql(
      `update webhook_endpoint set failing_since = now() - interval '10 minutes' where api_key_id = $1`,
      [tenant.id],
    );
    await api.database.sql(
      `update delivery set attempts = 22, next_at = next_at + interval '1 hour'
       where event_id = (select min(event_id) from delivery where api_key_id = $1)`,
      [tenant.id],
    );
    receiver.behave(responding(200));
    await queued(tenant);
    await turn(tenant, endpoint);
    expect(receiver.ids().size).toBe(1_201);
  });

  it('ends with the success of a new event', async () => {
    const { tenant, receiver, endpoint } = await outage(12);
    receiver.behave(responding(200));
    await queued(tenant);
    await turn(tenant, endpoint);
    expect(receiver.ids().size).toBe(13);
  });

  it('seems to end again and again while some messages are rejected, which get a few extra attempts', async () => {
    const { tenant, receiver, endpoint } = await outage(12);
    receiver.behave(({ body: { event } }, response) => {
      response.statusCode = event === 'comment.add' ? 422 : 200;
      response.end();
    });
    for (let cycle = 0; cycle < 20; cycle += 1) {
      await passed(tenant, 6);
      await queued(tenant, [{ type: 'comment.delete' }]);
      await turn(tenant, endpoint);
    }
    const rejected = (await messages(tenant)).filter(({ status }) => status !== 1);
    expect(rejected).toHaveLength(12);
    for (const { attempts, step } of rejected) expect(attempts).toBeLessThanOrEqual(2 * step + 4);
  });

  it('does not override Retry-After', async () => {
    const { tenant, receiver, endpoint } = await outage(12, { 'retry-after': '600' });
    await passed(tenant, 20);
    receiver.behave(responding(200));
    await turn(tenant, endpoint);
    await queued(tenant);
    await turn(tenant, endpoint);
    expect(receiver.delivered).toHaveLength(1);
  });

  it('is not assumed when fewer than ten messages fail, each of which keeps its schedule', async () => {
    const { tenant, receiver, endpoint } = await outage(9);
    await passed(tenant, 20);
    receiver.behave(responding(200));
    const { nextIn = 0 } = await turn(tenant, endpoint);
    await queued(tenant);
    await turn(tenant, endpoint);
    expect(receiver.delivered).toHaveLength(1);
    expect(nextIn).toBeGreaterThan(200_000);
  });
});
