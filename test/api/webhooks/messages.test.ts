import { afterAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { ServerResponse } from 'node:http';
import { startTestApi } from '../../support/api.ts';
import { responding, aReceiver, type Delivered } from '../../support/receiver.ts';
import { eventually } from '../../support/eventually.ts';
import { aListeningTenant } from '../../support/webhooks.ts';
import { turnsOf } from '../../domain/webhooks/turns.ts';
import { at, attemptsOf, create, hook, messagesOf, tested, update } from './webhook-calls.ts';

const api = await startTestApi({ environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' } });
const receiver = await aReceiver();
const turns = turnsOf(api);
afterAll(async () => {
  await turns.close();
  await receiver.close();
  await api.close();
});

const secretOf = async (tenant: Awaited<ReturnType<typeof aListeningTenant>>, endpointId: string) =>
  (await tenant.ok<{ endpointId: string; secret: string }>(at('endpoints/secret/get'), { endpointId })).data;

/** Throws unless the secret has signed it. */
const verified = (secret: string, sent: Delivered | undefined): unknown =>
  new Webhook(secret).verify(sent?.text ?? '', sent?.headers as Record<string, string>);

describe('a secret', () => {
  it('is made here, and read by its key alone', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant);
    const response = await tenant.ok(at('endpoints/secret/get'), { endpointId });
    expect(response.message).toBe('Advanced webhook endpoint secret retrieved successfully.');
    expect(response.data).toEqual({
      endpointId,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const stored = await api.database.sql<{ secret_enc: Buffer }>(
      `select secret_enc from webhook_endpoint where public_id = '${endpointId}'`,
    );
    const { secret } = await secretOf(tenant, endpointId);
    expect(stored[0]?.secret_enc.includes(secret.slice(6))).toBe(false);
    expect(api.log.some((line) => line.includes(secret.slice(6)))).toBe(false);
  });

  it('signs beside the one before it for 24 hours', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { url: receiver.url });
    const first = await secretOf(tenant, endpointId);
    const { message, data } = await tenant.ok<{ secret: string; previousSecretExpiresAt: number }>(
      at('endpoints/secret/rotate'),
      { endpointId },
    );
    expect(message).toBe('Advanced webhook endpoint secret rotated successfully.');
    expect(data).toEqual({
      endpointId,
      secret: (await secretOf(tenant, endpointId)).secret,
      previousSecretExpiresAt: expect.any(Number),
    });
    expect(Math.abs(data.previousSecretExpiresAt - Date.now() - 86_400_000)).toBeLessThan(100_000);
    await tested(tenant, endpointId);
    const sent = receiver.delivered.at(-1);
    expect(String(sent?.headers['webhook-signature']).split(' ')).toHaveLength(2);
    for (const secret of [first.secret, data.secret]) {
      expect(verified(secret, sent)).toMatchObject({ event: 'webhook.test' });
    }
    await tenant.ok(at('endpoints/secret/rotate'), { endpointId });
    await tested(tenant, endpointId);
    const later = receiver.delivered.at(-1);
    expect(String(later?.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(() => verified(first.secret, later)).toThrow();
  });
});

describe('a test', () => {
  it('sends one signed message whatever the endpoint listens to, and answers its attempt', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { url: receiver.url, filterTypes: ['other'] });
    const { message, data } = await tenant.ok<{ messageId: string }>(at('endpoints/test'), { endpointId });
    expect(message).toBe('Advanced webhook endpoint tested successfully.');
    expect(data).toEqual({
      messageId: expect.stringMatching(/^evt_/),
      attempt: {
        id: expect.stringMatching(/^atm_[\w-]{32}$/),
        messageId: data.messageId,
        endpointId,
        eventType: 'webhook.test',
        attemptNumber: 1,
        status: 'succeeded',
        responseStatusCode: 200,
        response: '',
        error: null,
        durationMs: expect.any(Number),
        timestamp: expect.any(Number),
        trigger: 'test',
      },
    });
    const got = receiver.delivered.at(-1);
    expect(got?.id).toBe(data.messageId);
    expect(got?.body).toEqual({
      event: 'webhook.test',
      actionType: 'webhook.test',
      source: 'system',
      webhookId: data.messageId,
      version: 1,
      sequence: null,
      data: { message: 'This is a test of your endpoint.' },
    });
    const { secret } = await secretOf(tenant, endpointId);
    expect(new Webhook(secret).verify(got?.text ?? '', got?.headers as Record<string, string>)).toMatchObject(
      { event: 'webhook.test' },
    );
  });

  it('that fails is a success of the call, and is not tried again', async () => {
    const tenant = await aListeningTenant(api);
    receiver.behave(responding(503, {}, 'not now'));
    const { id: endpointId } = await create(tenant, { url: receiver.url });
    const { messageId, attempt } = await tested(tenant, endpointId, { eventType: 'comment.add' });
    receiver.behave(responding(200));
    expect(attempt).toMatchObject({
      eventType: 'comment.add',
      status: 'failed',
      responseStatusCode: 503,
      response: 'not now',
    });
    const { messages } = await messagesOf(tenant, endpointId);
    expect(messages).toMatchObject([
      { id: messageId, status: 'failed', statusReason: attempt.error, attempts: 1, nextAttemptAt: null },
    ]);
  });

  it('to a refused address says so', async () => {
    const tenant = await aListeningTenant(api);
    const { id } = await create(tenant, { url: 'http://169.254.169.254/' });
    expect((await tested(tenant, id)).attempt).toMatchObject({
      status: 'failed',
      responseStatusCode: null,
      error: 'The host has a private or reserved address, which may not be called.',
    });
  });

  it('is never sent in plain while the key for its encryption is missing', async () => {
    const tenant = await aListeningTenant(api, { encryptData: true });
    const { id } = await create(tenant, { url: receiver.url });
    const before = receiver.delivered.length;
    expect((await tested(tenant, id)).attempt).toMatchObject({
      status: 'failed',
      error: 'Encryption is on and no public key is set.',
    });
    expect(receiver.delivered).toHaveLength(before);
  });

  it('is one of ten at most that a key has under way', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { url: receiver.url });
    receiver.forget();
    const waiting: ServerResponse[] = [];
    receiver.behave((_delivered, response) => {
      waiting.push(response);
    });
    const first = Array.from({ length: 10 }, async () => tested(tenant, endpointId));
    await eventually(() => waiting.length === 10);
    expect(await tenant.refused(at('endpoints/test'), { endpointId })).toMatchObject({
      http: 429,
      status: 'RESOURCE_EXHAUSTED',
      message: 'An API key may run at most 10 tests at a time.',
    });
    receiver.behave(responding(200));
    for (const response of waiting) response.end();
    const responses = await Promise.all(first);
    expect(responses.every(({ attempt }) => attempt.status === 'succeeded')).toBe(true);
    expect((await tested(tenant, endpointId)).attempt).toMatchObject({ status: 'succeeded' });
  });

  it('is refused for a disabled endpoint, as is sending again', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { url: receiver.url });
    const { messageId } = await tested(tenant, endpointId);
    await update(tenant, endpointId, { disabled: true });
    for (const [operation, data] of [
      ['endpoints/test', {}],
      ['endpoints/messages/resend', { messageId }],
      ['endpoints/recover', { since: Date.now() }],
    ] as const) {
      expect(await tenant.refused(at(operation), { endpointId, ...data })).toMatchObject({
        http: 400,
        status: 'FAILED_PRECONDITION',
        message: 'Endpoint is disabled.',
      });
    }
  });
});

describe('messages', () => {
  it('are listed newest first, with what is or would be sent', async () => {
    const tenant = await aListeningTenant(api);
    const { id } = await create(tenant, { url: receiver.url });
    await turns.queued(tenant, [{ payload: { featureType: 'comment', text: 'one' } }]);
    await turns.queued(tenant, [{ type: 'mine', payload: { text: 'two' } }]);
    const { messages, ...iterators } = await messagesOf(tenant, id);
    expect(iterators).toEqual({ iterator: null, prevIterator: null, done: true });
    expect(messages).toEqual([
      {
        id: expect.stringMatching(/^evt_/),
        eventType: 'mine',
        status: 'pending',
        statusReason: null,
        attempts: 0,
        nextAttemptAt: expect.any(Number),
        channels: ['acme', 'plan'],
        payload: {
          event: 'mine',
          actionType: 'mine',
          source: 'system',
          webhookId: messages[0]?.id,
          version: 1,
          sequence: 2,
          data: { text: 'two' },
        },
        timestamp: expect.any(Number),
      },
      expect.objectContaining({
        eventType: 'comment.add',
        payload: expect.objectContaining({ source: 'comment', sequence: 1 }),
      }),
    ]);
    receiver.forget();
    await turns.turn(tenant, id);
    const sent = new Map(receiver.delivered.map((one) => [one.id, one.body]));
    for (const message of messages) expect(sent.get(message.id)).toEqual(message.payload);
    const delivered = await messagesOf(tenant, id, { status: 'succeeded' });
    expect(delivered.messages).toMatchObject([
      { attempts: 1, nextAttemptAt: null, status: 'succeeded' },
      { attempts: 1, nextAttemptAt: null, status: 'succeeded' },
    ]);
  });

  it('are found by id, type and status', async () => {
    const tenant = await aListeningTenant(api);
    const { id } = await create(tenant, { url: receiver.url });
    await turns.queued(tenant, [{ type: 'a' }, { type: 'b' }, { type: 'c' }]);
    const all = (await messagesOf(tenant, id)).messages;
    const typesOf = async (filter: object) =>
      (await messagesOf(tenant, id, filter)).messages.map(({ eventType }) => eventType);
    expect(await typesOf({ messageId: all[1]?.id })).toEqual([all[1]?.eventType]);
    expect(await typesOf({ messageId: 'evt_nobody' })).toEqual([]);
    expect((await typesOf({ eventTypes: ['a', 'c', 'd'] })).toSorted()).toEqual(['a', 'c']);
    expect(await typesOf({ status: 'pending' })).toHaveLength(3);
    expect(await typesOf({ status: 'failed' })).toEqual([]);
    expect(await typesOf({ messageId: all[0]?.id, status: 'failed' })).toEqual([]);
  });

  it('are walked in both directions while more arrive', async () => {
    const tenant = await aListeningTenant(api);
    const { id } = await create(tenant, { url: receiver.url });
    await turns.queued(tenant, 5);
    const all = (await messagesOf(tenant, id)).messages.map((message) => message.id);
    const first = await messagesOf(tenant, id, { limit: 2 });
    await turns.queued(tenant, 1);
    const second = await messagesOf(tenant, id, { limit: 2, iterator: first.iterator });
    const third = await messagesOf(tenant, id, { limit: 2, iterator: second.iterator });
    const seen = [first, second, third].flatMap(({ messages }) => messages.map((message) => message.id));
    expect(seen).toEqual(all);
    expect([first.prevIterator, third.iterator, third.done]).toEqual([null, null, true]);
    const back = await messagesOf(tenant, id, { limit: 5, iterator: third.prevIterator });
    expect(back.messages.slice(1).map((message) => message.id)).toEqual(all.slice(0, 4));
    expect(back.prevIterator).toBeNull();
  });

  it('that are held say why', async () => {
    const tenant = await aListeningTenant(api, { encryptData: true });
    const { id } = await create(tenant, { url: receiver.url });
    await turns.queued(tenant, 1);
    expect((await messagesOf(tenant, id)).messages).toMatchObject([
      { status: 'pending', statusReason: 'Encryption is on and no public key is set.' },
    ]);
  });

  it('show neither names nor what was written while data protection is on', async () => {
    const tenant = await aListeningTenant(api, { enableDataProtection: true });
    const { id } = await create(tenant, { url: receiver.url });
    await turns.queued(tenant, [{ payload: { actionUser: { userId: 'u1', name: 'Ada' }, text: 'secret' } }]);
    const { messages } = await messagesOf(tenant, id);
    expect(messages).toMatchObject([{ payload: { data: { actionUser: { userId: 'u1' } } } }]);
    expect(JSON.stringify(messages)).not.toMatch(/Ada|secret/);
  });

  it('of one endpoint are not those of another', async () => {
    const tenant = await aListeningTenant(api);
    const { id } = await create(tenant, { url: receiver.url });
    await turns.queued(tenant, 1);
    const { id: later } = await create(tenant, { url: receiver.url });
    const [message] = (await messagesOf(tenant, id)).messages;
    expect((await messagesOf(tenant, later)).messages).toEqual([]);
    expect(
      await tenant.refused(at('endpoints/messages/resend'), { endpointId: later, messageId: message?.id }),
    ).toMatchObject({ http: 404, status: 'NOT_FOUND', message: 'Message not found.' });
  });
});

describe('attempts', () => {
  it('are listed newest first, and found by message and status', async () => {
    const tenant = await aListeningTenant(api);
    const { id } = await create(tenant, { url: receiver.url });
    await turns.queued(tenant, 1);
    receiver.behave(responding(500, {}, 'broken'));
    await turns.turn(tenant, id);
    receiver.behave(responding(200));
    await turns.later(tenant, '1 hour');
    await turns.turn(tenant, id);
    const { attempts } = await attemptsOf(tenant, id);
    expect(attempts).toMatchObject([
      { attemptNumber: 2, status: 'succeeded', responseStatusCode: 200, error: null, trigger: 'scheduled' },
      { attemptNumber: 1, status: 'failed', responseStatusCode: 500, response: 'broken' },
    ]);
    expect(new Set(attempts.map((attempt) => attempt.id)).size).toBe(2);
    expect((await attemptsOf(tenant, id, { status: 'failed' })).attempts).toEqual([attempts[1]]);
    const [{ messageId } = { messageId: '' }] = attempts;
    expect((await attemptsOf(tenant, id, { messageId })).attempts).toEqual(attempts);
    expect((await attemptsOf(tenant, id, { messageId: 'evt_nobody' })).attempts).toEqual([]);
    const first = await attemptsOf(tenant, id, { limit: 1 });
    const second = await attemptsOf(tenant, id, { limit: 1, iterator: first.iterator });
    expect([...first.attempts, ...second.attempts]).toEqual(attempts);
    expect([second.done, second.iterator]).toEqual([true, null]);
  });

  it('of a test are listed as well', async () => {
    const tenant = await aListeningTenant(api);
    const { id } = await create(tenant, { url: receiver.url });
    const { attempt } = await tested(tenant, id);
    expect((await attemptsOf(tenant, id)).attempts).toEqual([attempt]);
  });
});

describe('sending again', () => {
  it('queues one more attempt under the same id, and says so', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { url: receiver.url });
    await turns.queued(tenant, 1);
    await turns.turn(tenant, endpointId);
    const [{ id: messageId } = { id: '' }] = (await messagesOf(tenant, endpointId)).messages;
    const response = await tenant.ok(at('endpoints/messages/resend'), { endpointId, messageId });
    expect(response).toEqual({
      status: 'success',
      message: 'Advanced webhook endpoint message resent successfully.',
      data: { endpointId, messageId },
    });
    receiver.forget();
    await turns.turn(tenant, endpointId);
    expect(receiver.delivered.map(({ id }) => id)).toEqual([messageId]);
    expect((await attemptsOf(tenant, endpointId)).attempts).toMatchObject([
      { trigger: 'manual', attemptNumber: 2, messageId },
      { trigger: 'scheduled', attemptNumber: 1, messageId },
    ]);
  });

  it('can be asked for more often than a number of it could be kept', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { url: receiver.url });
    await turns.queued(tenant, 1);
    const [{ id: messageId } = { id: '' }] = (await messagesOf(tenant, endpointId)).messages;
    await api.database.sql('update delivery set resends = 32767 where api_key_id = $1', [tenant.id]);
    await tenant.ok(at('endpoints/messages/resend'), { endpointId, messageId });
  });

  it('recovers what was given up in a time, each message once', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { url: receiver.url });
    const before = Date.now();
    await turns.queued(tenant, 3);
    await api.database.sql(
      `update delivery set status = 2, next_at = null, retry_at = null where api_key_id = $1`,
      [tenant.id],
    );
    await turns.queued(tenant, 1);
    const recover = async (data: object) =>
      (await tenant.ok<{ messages: number }>(at('endpoints/recover'), { endpointId, ...data })).data;
    expect(await recover({ since: before - 60_000, until: before - 1 })).toEqual({ endpointId, messages: 0 });
    expect(await recover({ since: before })).toEqual({ endpointId, messages: 3 });
    expect(await recover({ since: before })).toEqual({ endpointId, messages: 0 });
    receiver.forget();
    await turns.turn(tenant, endpointId);
    expect(receiver.delivered).toHaveLength(4);
    expect(new Set(receiver.ids())).toHaveProperty('size', 4);
  });

  it('reaches back thirty days', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant);
    const now = Date.now();
    const refusedWith = async (data: object) =>
      (await tenant.refused(at('endpoints/recover'), { endpointId, ...data })).message;
    expect(await refusedWith({ since: now - 31 * 86_400_000 })).toBe('since must be at most 30 days ago.');
    expect(await refusedWith({ since: now, until: now - 1 })).toBe('until must not be before since.');
    expect(await refusedWith({})).toBe('since is required.');
  });
});

describe('stats', () => {
  it('count messages by what became of them, and time their attempts', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { url: receiver.url });
    const stats = async (more: object = {}) => tenant.ok(at('endpoints/stats/get'), { endpointId, ...more });
    const nothing = { pending: 0, succeeded: 0, failed: 0, cancelled: 0, p95Ms: null };
    const never = { lastAttemptAt: null, lastSuccessAt: null, failingSince: null };
    expect(await stats()).toEqual({
      status: 'success',
      message: 'Advanced webhook endpoint stats retrieved successfully.',
      data: { endpointId, ...nothing, ...never },
    });
    await turns.queued(tenant, 2);
    await turns.turn(tenant, endpointId);
    receiver.behave(responding(500));
    await turns.queued(tenant, 1);
    await turns.turn(tenant, endpointId);
    receiver.behave(responding(200));
    expect((await stats()).data).toMatchObject({
      pending: 1,
      succeeded: 2,
      failed: 0,
      cancelled: 0,
      p95Ms: expect.any(Number),
      lastAttemptAt: expect.any(Number),
      lastSuccessAt: expect.any(Number),
      failingSince: expect.any(Number),
    });
    expect((await stats({ since: Date.now() + 60_000 })).data).toMatchObject({
      ...nothing,
      lastAttemptAt: expect.any(Number),
    });
  });
});

it('nothing of another key is ever told', async () => {
  const tenant = await aListeningTenant(api);
  const { id: endpointId } = await create(tenant, { url: hook });
  const other = await aListeningTenant(api);
  for (const operation of ['messages/get', 'attempts/get', 'stats/get', 'secret/get', 'delete', 'test']) {
    expect(await other.refused(at(`endpoints/${operation}`), { endpointId })).toMatchObject({
      http: 404,
      message: 'Advanced webhook provider request failed.',
    });
  }
});
