import { describe, expect, it } from '@jest/globals';
import { responding } from '../../support/receiver.ts';
import { eventually } from '../../support/eventually.ts';
import { aListeningTenant } from '../../support/webhooks.ts';
import { at, attemptsOf, create, hook, messagesOf, tested, webhooksScene } from './webhook-calls.ts';

const scene = await webhooksScene();
const { api, receiver } = scene;

describe('messages', () => {
  it('are listed newest first with status, attempts and payload', async () => {
    const tenant = await aListeningTenant(api);
    const { id } = await create(tenant, { url: receiver.url });
    await scene.queued(tenant, [{ payload: { featureType: 'comment', text: 'one' } }]);
    await scene.queued(tenant, [{ type: 'mine', payload: { text: 'two' } }]);
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
    await scene.turn(tenant, id);
    const sent = new Map(receiver.delivered.map((one) => [one.id, one.body]));
    for (const message of messages) expect(sent.get(message.id)).toEqual(message.payload);
    const delivered = await messagesOf(tenant, id, { status: 'succeeded' });
    expect(delivered.messages).toMatchObject([
      { attempts: 1, nextAttemptAt: null, status: 'succeeded' },
      { attempts: 1, nextAttemptAt: null, status: 'succeeded' },
    ]);
  });

  it('are filtered by id, type and status', async () => {
    const tenant = await aListeningTenant(api);
    const { id } = await create(tenant, { url: receiver.url });
    await scene.queued(tenant, [{ type: 'a' }, { type: 'b' }, { type: 'c' }]);
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

  it('are filtered by organization or document, and by time', async () => {
    const tenant = await aListeningTenant(api);
    const { id } = await create(tenant, { url: receiver.url });
    await scene.queued(tenant, [{ type: 'a', channels: ['acme', 'plan'] }]);
    const [first] = (await messagesOf(tenant, id)).messages;
    const before = first?.timestamp ?? 0;
    await eventually(async () => Promise.resolve(Date.now() > before + 1));
    await scene.queued(tenant, [{ type: 'b', channels: ['acme', 'budget'] }]);
    const typesOf = async (filter: object) =>
      (await messagesOf(tenant, id, filter)).messages.map(({ eventType }) => eventType);
    const [second] = (await messagesOf(tenant, id, { channel: 'budget' })).messages;
    const since = second?.timestamp ?? 0;
    expect(second?.eventType).toBe('b');
    expect(await typesOf({ channel: 'acme' })).toEqual(['b', 'a']);
    expect(await typesOf({ channel: 'other' })).toEqual([]);
    expect(await typesOf({ since })).toEqual(['b']);
    expect(await typesOf({ until: since })).toEqual(['a']);
    expect(await typesOf({ channel: 'plan', since })).toEqual([]);
    expect(await typesOf({ since: before, until: since, limit: 1 })).toEqual(['a']);
  });

  it('are returned in pages in both directions while more are created', async () => {
    const tenant = await aListeningTenant(api);
    const { id } = await create(tenant, { url: receiver.url });
    await scene.queued(tenant, 5);
    const all = (await messagesOf(tenant, id)).messages.map((message) => message.id);
    const first = await messagesOf(tenant, id, { limit: 2 });
    await scene.queued(tenant, 1);
    const second = await messagesOf(tenant, id, { limit: 2, iterator: first.iterator });
    const third = await messagesOf(tenant, id, { limit: 2, iterator: second.iterator });
    const seen = [first, second, third].flatMap(({ messages }) => messages.map((message) => message.id));
    expect(seen).toEqual(all);
    expect([first.prevIterator, third.iterator, third.done]).toEqual([null, null, true]);
    const back = await messagesOf(tenant, id, { limit: 5, iterator: third.prevIterator });
    expect(back.messages.slice(1).map((message) => message.id)).toEqual(all.slice(0, 4));
    expect(back.prevIterator).toBeNull();
  });

  it('return a statusReason while they are held', async () => {
    const tenant = await aListeningTenant(api, { encryptData: true });
    const { id } = await create(tenant, { url: receiver.url });
    await scene.queued(tenant, 1);
    expect((await messagesOf(tenant, id)).messages).toMatchObject([
      { status: 'pending', statusReason: 'Encryption is on and no public key is set.' },
    ]);
  });

  it('contain neither names nor written text while data protection is on', async () => {
    const tenant = await aListeningTenant(api, { enableDataProtection: true });
    const { id } = await create(tenant, { url: receiver.url });
    await scene.queued(tenant, [{ payload: { actionUser: { userId: 'u1', name: 'Ada' }, text: 'secret' } }]);
    const { messages } = await messagesOf(tenant, id);
    expect(messages).toMatchObject([{ payload: { data: { actionUser: { userId: 'u1' } } } }]);
    expect(JSON.stringify(messages)).not.toMatch(/\bAda\b|secret/);
  });

  it('are listed only for their own endpoint', async () => {
    const tenant = await aListeningTenant(api);
    const { id } = await create(tenant, { url: receiver.url });
    await scene.queued(tenant, 1);
    const { id: later } = await create(tenant, { url: receiver.url });
    const [message] = (await messagesOf(tenant, id)).messages;
    expect((await messagesOf(tenant, later)).messages).toEqual([]);
    expect(
      await tenant.refused(at('endpoints/messages/resend'), { endpointId: later, messageId: message?.id }),
    ).toMatchObject({ http: 404, status: 'NOT_FOUND', message: 'Message not found.' });
  });
});

describe('attempts', () => {
  it('are listed newest first, and filtered by message and status', async () => {
    const tenant = await aListeningTenant(api);
    const { id } = await create(tenant, { url: receiver.url });
    await scene.queued(tenant, 1);
    receiver.behave(responding(500, {}, 'broken'));
    await scene.turn(tenant, id);
    receiver.behave(responding(200));
    await scene.later(tenant, '1 hour');
    await scene.turn(tenant, id);
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

  it('include those of tests', async () => {
    const tenant = await aListeningTenant(api);
    const { id } = await create(tenant, { url: receiver.url });
    const { attempt } = await tested(tenant, id);
    expect((await attemptsOf(tenant, id)).attempts).toEqual([attempt]);
  });
});

describe('stats', () => {
  it('count messages by status and measure attempts', async () => {
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
    await scene.queued(tenant, 2);
    await scene.turn(tenant, endpointId);
    receiver.behave(responding(500));
    await scene.queued(tenant, 1);
    await scene.turn(tenant, endpointId);
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

describe('webhook operations', () => {
  it('return no records of another API key', async () => {
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
});
