import { describe, expect, it } from '@jest/globals';
import { dayMs } from '../../../platform/units.ts';
import { issuesOf } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { freshId } from '../../support/factories.ts';
import { responding } from '../../support/receiver.ts';
import { explain, statementsOf } from '../../support/statements.ts';
import { aListeningTenant } from '../../support/webhooks.ts';
import { at, attemptsOf, create, messagesOf, webhooksScene } from './webhook-calls.ts';

const scene = await webhooksScene();
const { api, receiver } = scene;

describe('resend and recover', () => {
  it('queues another attempt under the same id', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { url: receiver.url });
    await scene.queued(tenant, 1);
    await scene.turn(tenant, endpointId);
    const [{ id: messageId } = { id: '' }] = (await messagesOf(tenant, endpointId)).messages;
    const response = await tenant.ok(at('endpoints/messages/resend'), { endpointId, messageId });
    expect(response).toEqual({
      status: 'success',
      message: 'Advanced webhook endpoint message resent successfully.',
      data: { endpointId, messageId },
    });
    receiver.forget();
    await scene.turn(tenant, endpointId);
    expect(receiver.delivered.map(({ id }) => id)).toEqual([messageId]);
    expect((await attemptsOf(tenant, endpointId)).attempts).toMatchObject([
      { trigger: 'manual', attemptNumber: 2, messageId },
      { trigger: 'scheduled', attemptNumber: 1, messageId },
    ]);
  });

  it.each([
    ['whose extra attempt fails', false],
    ['whose endpoint is disabled before its extra attempt', true],
  ])('leaves a delivered message %s delivered', async (_, disabled) => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { url: receiver.url });
    await scene.queued(tenant, 1);
    await scene.turn(tenant, endpointId);
    const [{ id: messageId } = { id: '' }] = (await messagesOf(tenant, endpointId)).messages;
    await tenant.ok(at('endpoints/messages/resend'), { endpointId, messageId });
    if (disabled) await tenant.ok(at('endpoints/update'), { endpointId, disabled });
    receiver.behave(responding(500));
    await scene.turn(tenant, endpointId);
    receiver.behave(responding(200));
    expect((await messagesOf(tenant, endpointId)).messages).toMatchObject([
      { id: messageId, status: 'succeeded', attempts: disabled ? 1 : 2 },
    ]);
    if (disabled) await tenant.ok(at('endpoints/update'), { endpointId, disabled: false });
    const recovered = await tenant.ok(at('endpoints/recover'), { endpointId, since: Date.now() - 3_600_000 });
    expect(recovered.data).toMatchObject({ messages: 0 });
  });

  it('leaves a message delivered whose second extra attempt is refused', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { url: receiver.url });
    await scene.queued(tenant, 1);
    const [{ id: messageId } = { id: '' }] = (await messagesOf(tenant, endpointId)).messages;
    for (let request = 0; request < 2; request += 1)
      await tenant.ok(at('endpoints/messages/resend'), { endpointId, messageId });
    await scene.turn(tenant, endpointId);
    receiver.behave(responding(409));
    await scene.turn(tenant, endpointId);
    receiver.behave(responding(200));
    expect((await messagesOf(tenant, endpointId)).messages).toMatchObject([
      { id: messageId, status: 'succeeded', attempts: 2 },
    ]);
  });

  it('accepts more requests than its counter can hold, and counts at most 1,000', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { url: receiver.url });
    await scene.queued(tenant, 1);
    const [{ id: messageId } = { id: '' }] = (await messagesOf(tenant, endpointId)).messages;
    await api.database.sql('update delivery set resends = 32767 where api_key_id = $1', [tenant.id]);
    await tenant.ok(at('endpoints/messages/resend'), { endpointId, messageId });
    expect(await api.database.sql('select resends from delivery where api_key_id = $1', [tenant.id])).toEqual(
      [{ resends: 1_000 }],
    );
  });

  it('recovers failed and canceled messages of a period, each once', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { url: receiver.url });
    const before = Date.now();
    await scene.queued(tenant, 3);
    await api.database.sql(
      `update delivery set status = 2, next_at = null, retry_at = null where api_key_id = $1`,
      [tenant.id],
    );
    await scene.queued(tenant, 1);
    const recover = async (data: object) =>
      (await tenant.ok<{ messages: number }>(at('endpoints/recover'), { endpointId, ...data })).data;
    expect(await recover({ since: before - 60_000, until: before - 1 })).toEqual({ endpointId, messages: 0 });
    expect(await recover({ since: before })).toEqual({ endpointId, messages: 3 });
    expect(await recover({ since: before })).toEqual({ endpointId, messages: 0 });
    const rows = await api.database.sql<{ inOrder: boolean }>(
      `select bool_and(later.next_at > earlier.next_at) as "inOrder" from delivery earlier
       join delivery later on later.endpoint_id = earlier.endpoint_id and later.sequence = earlier.sequence + 1
       where earlier.api_key_id = $1 and later.sequence <= 3`,
      [tenant.id],
    );
    expect(rows).toEqual([{ inOrder: true }]);
    receiver.forget();
    await scene.turn(tenant, endpointId);
    expect(receiver.delivered).toHaveLength(4);
    expect(new Set(receiver.ids())).toHaveProperty('size', 4);
  });

  it('recovers by an index of failed and canceled messages, which delivered ones never enter', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { url: receiver.url });
    await scene.queued(tenant, 1);
    const recover = async () =>
      tenant.ok(at('endpoints/recover'), { endpointId, since: Date.now() - 60_000 });
    const sent = await statementsOf(recover);
    const { text = '' } = sent.find((one) => one.text.includes('with lost as')) ?? {};
    const { indexes, conditions, wholeTables } = await explain(api.database, { text });
    expect(wholeTables).toEqual([]);
    expect(indexes).toContainEqual(expect.stringMatching(/^delivery_.*(?:unsent|event_id_idx)$/));
    const byKey = conditions.filter((_, n) => indexes[n]?.endsWith('_pkey'));
    // By the whole key, or by the times of the events: never all messages of the endpoint.
    expect(byKey.filter((condition) => !condition.includes('event_at ='))).toEqual([]);
  });

  it('recovers no message of a test, which a receiver would take for an event', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { url: receiver.url });
    receiver.behave(responding(500));
    await tenant.ok(at('endpoints/test'), { endpointId, eventType: 'user.data_deleted' });
    receiver.behave(responding(200));
    const since = Date.now() - 60_000;
    const { data } = await tenant.ok(at('endpoints/recover'), { endpointId, since });
    expect(data).toEqual({ endpointId, messages: 0 });
    expect((await messagesOf(tenant, endpointId)).messages).toMatchObject([{ status: 'failed' }]);
  });

  it('rejects a period that starts more than 30 days ago', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant);
    const now = Date.now();
    const refusedWith = async (data: object) =>
      (await tenant.refused(at('endpoints/recover'), { endpointId, ...data })).message;
    for (const days of [31, 33])
      expect(await refusedWith({ since: now - days * dayMs })).toBe('since must be at most 30 days ago.');
    expect(await refusedWith({ since: now, until: now - 1 })).toBe('until must not be before since.');
    expect(await refusedWith({})).toBe('since is required.');
  });

  it('replays a success whose period has since become too old', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant);
    const recent = await eventually(async () => {
      const sent = { endpointId, since: Date.now() - 30 * dayMs + 2_000 };
      const options = { idempotencyKey: freshId('key') };
      return { sent, options, first: await tenant.ok(at('endpoints/recover'), sent, options) };
    });
    const { sent, options, first } = recent;
    await eventually(() => Date.now() - 30 * dayMs > sent.since);
    expect(await tenant.ok(at('endpoints/recover'), sent, options)).toEqual(first);
    const refusal = await tenant.refused(at('endpoints/recover'), sent);
    expect(issuesOf(refusal)).toEqual({ 'data.since': 'since must be at most 30 days ago.' });
  });
});
