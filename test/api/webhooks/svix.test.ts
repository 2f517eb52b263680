import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findJob } from '../../../domain/jobs/find-job.ts';
import { beginJob } from '../../../domain/jobs/job-steps.ts';
import { svixProvider } from '../../../domain/webhooks/svix/svix-provider.ts';
import { makeApplication, openApplication } from '../../../domain/webhooks/provisioning/application.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aSvixServer, svixToken, type SvixServer } from '../../support/svix-server.ts';
import { aTenant, freshId, type TestTenant } from '../../support/factories.ts';
import { aListeningTenant, happened } from '../../support/webhooks.ts';
import { at, attemptsOf, create, hook, list, messagesOf, tested, update } from './webhook-calls.ts';

let svix: SvixServer;
let api: TestApi;

beforeAll(async () => {
  svix = await aSvixServer();
  api = await startTestApi({ environment: svix.environment });
});
afterAll(async () => {
  await api.close();
  await svix.close();
});

const provider = () => svixProvider({ token: svixToken, serverUrl: svix.environment['SVIX_SERVER_URL'] });

/** The activities of the provisioning job. */
async function provision(tenant: TestTenant): Promise<void> {
  const { data } = await tenant.ok<{ jobId: string }[]>('/v2/jobs/list', { kind: 'webhook-provisioning' });
  const em = api.orm.em.fork();
  const job = await findJob(em, data[0]?.jobId ?? '');
  if (job === null) throw new Error('There is no job.');
  await beginJob(api.orm, job.publicId);
  await makeApplication(em, { keyRing: api.keyRing, webhooks: provider() }, job, AbortSignal.timeout(60_000));
  await openApplication(api.orm, job);
}

async function aProvisionedTenant(): Promise<TestTenant> {
  const tenant = await aListeningTenant(api);
  await provision(tenant);
  return tenant;
}

const applicationOf = async (tenant: TestTenant) => {
  const [row] = await api.database.sql<{ application_id: string }>(
    'select application_id from webhook_application where api_key_id = $1',
    [tenant.id],
  );
  return svix.applications.get(row?.application_id ?? '');
};

describe('an API key with Svix as webhook provider', () => {
  it('has one application, identified by a hash, after repeated provisioning', async () => {
    const tenant = await aProvisionedTenant();
    const application = await applicationOf(tenant);
    expect(application?.uid).toMatch(/^steward_[\da-f]{64}$/);
    expect(JSON.stringify(svix.calls)).not.toContain(tenant.apiKey);
    const made = svix.applications.size;
    await provision(tenant);
    expect(svix.applications.size).toBe(made);
  });

  it('gets UNAVAILABLE with Retry-After until its application exists', async () => {
    const tenant = await aListeningTenant(api);
    for (const [operation, data] of [
      ['endpoints/create', { url: hook }],
      ['endpoints/get', {}],
      ['endpoints/delete', { endpointId: 'ep_1' }],
      ['endpoints/test', { endpointId: 'ep_1' }],
    ] as const) {
      const refusal = await tenant.refused(at(operation), data);
      expect(refusal).toMatchObject({
        http: 503,
        status: 'UNAVAILABLE',
        message: 'Service is temporarily unavailable.',
      });
      expect(refusal.headers['retry-after']).toBe('2');
    }
    await provision(tenant);
    expect((await list(tenant)).endpoints).toEqual([]);
  });

  it('is rejected without a request to Svix before webhooks are enabled', async () => {
    const tenant = await aTenant(api);
    const before = svix.calls.length;
    expect(await tenant.refused(at('endpoints/get'))).toMatchObject({ status: 'FAILED_PRECONDITION' });
    expect(await tenant.refused(at('endpoints/create'), { url: hook })).toMatchObject({
      status: 'FAILED_PRECONDITION',
    });
    expect(svix.calls).toHaveLength(before);
  });

  it('creates, updates, lists and deletes endpoints at Svix', async () => {
    const tenant = await aProvisionedTenant();
    const sent = { url: hook, filterTypes: ['comment.add'], rateLimit: 7, uid: 'mine', metadata: { a: 'b' } };
    const made = await create(tenant, sent);
    expect(made).toEqual({
      id: expect.stringMatching(/^ep_/),
      url: hook,
      description: null,
      filterTypes: ['comment.add'],
      channels: null,
      disabled: false,
      disabledReason: null,
      rateLimit: 7,
      uid: 'mine',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await applicationOf(tenant))?.endpoints[0]?.members).toMatchObject({
      eventTypes: ['comment.add'],
      throttleRate: 7,
      metadata: { a: 'b' },
    });
    expect(await tenant.refused(at('endpoints/create'), sent)).toMatchObject({
      http: 409,
      message: 'uid is already taken.',
    });
    const { data } = await update(tenant, made.id, { filterTypes: null, description: 'New', disabled: true });
    expect(data).toMatchObject({ filterTypes: null, description: 'New', disabled: true, rateLimit: 7 });
    expect((await list(tenant)).endpoints).toEqual([data]);
    const endpointId = made.id;
    expect((await tenant.ok(at('endpoints/delete'), { endpointId })).data).toEqual({
      endpointId,
      deleted: true,
    });
    expect(await tenant.refused(at('endpoints/delete'), { endpointId })).toMatchObject({
      http: 404,
      message: 'Advanced webhook provider request failed.',
    });
  });

  it('replays a refusal by Svix to a call that is repeated with its Idempotency-Key', async () => {
    const tenant = await aProvisionedTenant();
    const data = { url: hook, uid: freshId('uid') };
    const { id: endpointId } = await create(tenant, data);
    const idempotencyKey = freshId('key');
    const headers = { 'idempotency-key': idempotencyKey };
    const refusal = { http: 409, status: 'ALREADY_EXISTS', message: 'uid is already taken.' };
    expect(await tenant.refused(at('endpoints/create'), data, { headers })).toMatchObject(refusal);
    await tenant.ok(at('endpoints/delete'), { endpointId });
    const repeated = await tenant.refused(at('endpoints/create'), data, { headers });
    expect(repeated).toMatchObject(refusal);
    expect(repeated.headers['idempotent-replayed']).toBe('true');
    const other = await tenant.call(at('endpoints/create'), { url: hook }, { idempotencyKey });
    expect(other.status).toBe(422);
    await create(tenant, data);
  });

  it('creates one endpoint when a call is repeated with its Idempotency-Key after Svix’s response was lost', async () => {
    const tenant = await aProvisionedTenant();
    const idempotencyKey = freshId('key');
    const attempt = async (url: string, key = idempotencyKey) =>
      tenant.call(at('endpoints/create'), { url }, { idempotencyKey: key });
    svix.loseNextResponse();
    expect((await attempt(hook)).status).toBe(503);
    expect((await attempt(hook)).status).toBe(200);
    expect((await list(tenant)).endpoints).toHaveLength(1);
    svix.loseNextResponse();
    expect((await attempt(`${hook}/2`, freshId('key'))).status).toBe(503);
    expect((await attempt(`${hook}/2`, freshId('key'))).status).toBe(200);
    expect((await list(tenant)).endpoints).toHaveLength(3);
  });

  it('returns pages of its Svix endpoints in both directions with Steward’s iterators', async () => {
    const tenant = await aProvisionedTenant();
    const ids: string[] = [];
    for (let made = 0; made < 5; made += 1) ids.push((await create(tenant)).id);
    const first = await list(tenant, { limit: 2 });
    const second = await list(tenant, { limit: 2, iterator: first.iterator });
    const third = await list(tenant, { limit: 2, iterator: second.iterator });
    expect([first, second, third].flatMap(({ endpoints }) => endpoints.map(({ id }) => id))).toEqual(ids);
    expect([first.prevIterator, third.iterator, third.done]).toEqual([null, null, true]);
    const back = await list(tenant, { limit: 2, iterator: third.prevIterator });
    expect(back.endpoints.map(({ id }) => id)).toEqual(ids.slice(2, 4));
    expect(back.done).toBe(false);
    const start = await list(tenant, { limit: 2, iterator: back.prevIterator });
    expect(start.endpoints.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect([start.prevIterator, start.done]).toEqual([null, false]);
    const again = await list(tenant, { limit: 2, iterator: start.iterator });
    expect(again.endpoints.map(({ id }) => id)).toEqual(ids.slice(2, 4));
    const other = await aProvisionedTenant();
    expect(await other.refused(at('endpoints/get'), { limit: 2, iterator: first.iterator })).toMatchObject({
      message: 'iterator is not valid.',
    });
  });

  it('lists messages and attempts in pages of at most 10 MiB, of which it first asks for 1 MiB', async () => {
    const tenant = await aProvisionedTenant();
    const { id: endpointId } = await create(tenant);
    const payload = 'x'.repeat(262_000);
    const stored = Array.from({ length: 42 }, (_, number) => ({
      id: `msg_${String(number)}`,
      eventId: null,
      eventType: 'comment.add',
      payload,
      channels: null,
      timestamp: new Date().toISOString(),
    }));
    (await applicationOf(tenant))?.messages.push(...stored);
    const ids = stored.map(({ id }) => id);
    const before = svix.calls.length;
    const first = await messagesOf(tenant, endpointId, { limit: 250 });
    expect(first.messages.map(({ id }) => id)).toEqual(ids.slice(0, 32));
    const second = await messagesOf(tenant, endpointId, { limit: 250, iterator: first.iterator });
    expect(second.messages.map(({ id }) => id)).toEqual(ids.slice(32));
    expect([first.done, second.done]).toEqual([false, true]);
    const back = await messagesOf(tenant, endpointId, { limit: 250, iterator: second.prevIterator });
    expect(back.messages.map(({ id }) => id)).toEqual(ids.slice(0, 32));
    const { attempts } = await attemptsOf(tenant, endpointId, { limit: 250 });
    expect(attempts).toHaveLength(32);
    expect((await messagesOf(tenant, endpointId, { limit: 3 })).messages).toHaveLength(3);
    const limits = svix.calls.slice(before).flatMap(({ limit }) => limit ?? []);
    expect(limits).toEqual(['3', '32', '3', '32', '3', '32', '3', '32', '3']);
  });

  it('reads and rotates secrets at Svix', async () => {
    const tenant = await aProvisionedTenant();
    const { id: endpointId } = await create(tenant);
    const { data } = await tenant.ok<{ secret: string }>(at('endpoints/secret/get'), { endpointId });
    expect(data.secret).toMatch(/^whsec_/);
    const rotated = await tenant.ok<{ secret: string }>(at('endpoints/secret/rotate'), { endpointId });
    expect(rotated.data.secret).not.toBe(data.secret);
    expect((await tenant.ok(at('endpoints/secret/get'), { endpointId })).data).toMatchObject({
      secret: rotated.data.secret,
    });
  });

  it('tests, lists and resends messages at Svix', async () => {
    const tenant = await aProvisionedTenant();
    const { id: endpointId } = await create(tenant);
    const { messageId, attempt } = await tested(tenant, endpointId);
    expect(attempt).toMatchObject({
      endpointId,
      messageId,
      status: 'succeeded',
      trigger: 'test',
      durationMs: 12,
    });
    expect(attempt.response).toHaveLength(1_024);
    expect((await attemptsOf(tenant, endpointId)).attempts).toMatchObject([
      { messageId, attemptNumber: null },
    ]);
    expect((await messagesOf(tenant, endpointId)).messages).toMatchObject([
      { id: messageId, eventType: 'webhook.test', status: 'succeeded', attempts: null },
    ]);
    expect((await messagesOf(tenant, endpointId, { messageId })).messages).toMatchObject([{ id: messageId }]);
    expect((await messagesOf(tenant, endpointId, { messageId: 'msg_nobody' })).messages).toEqual([]);
    const again = await tenant.ok(at('endpoints/messages/resend'), { endpointId, messageId });
    expect(again.data).toEqual({ endpointId, messageId });
    expect(
      await tenant.refused(at('endpoints/messages/resend'), { endpointId, messageId: 'msg_nobody' }),
    ).toMatchObject({ http: 404, message: 'Message not found.' });
    const recovered = await tenant.ok(at('endpoints/recover'), { endpointId, since: Date.now() });
    expect(recovered.data).toEqual({ endpointId, messages: null });
    expect((await tenant.ok(at('endpoints/stats/get'), { endpointId })).data).toMatchObject({
      pending: 2,
      succeeded: 3,
      failed: 2,
      cancelled: 0,
    });
  });

  it('filters messages at Svix by status, type, channel and time', async () => {
    const tenant = await aProvisionedTenant();
    const { id: endpointId } = await create(tenant);
    const { messageId, attempt } = await tested(tenant, endpointId);
    const found = async (filter: object) => (await messagesOf(tenant, endpointId, filter)).messages.length;
    const { timestamp } = attempt;
    const minuteMs = 60_000;
    for (const one of [{}, { messageId }]) {
      expect(await found({ ...one, status: 'succeeded', eventTypes: ['webhook.test'] })).toBe(1);
      expect(await found({ ...one, status: 'failed' })).toBe(0);
      expect(await found({ ...one, eventTypes: ['comment.add', 'comment.update'] })).toBe(0);
      expect(await found({ ...one, channel: 'plan' })).toBe(0);
      expect(await found({ ...one, since: timestamp - minuteMs, until: timestamp + minuteMs })).toBe(1);
      expect(await found({ ...one, since: timestamp + minuteMs })).toBe(0);
      expect(await found({ ...one, until: timestamp - minuteMs })).toBe(0);
    }
  });

  it('gets event types with colons to Svix, which accepts none', async () => {
    const tenant = await aProvisionedTenant();
    const application = await applicationOf(tenant);
    const made = await create(tenant, { url: hook, filterTypes: ['task:done'] });
    expect(made.filterTypes).toEqual(['task:done']);
    expect(application?.endpoints[0]?.members).toMatchObject({ eventTypes: ['task_-done'] });
    const event = { eventId: 'evt_1', eventType: 'task:done', payload: {}, channels: [] };
    const posted = { ...event, applicationId: application?.uid ?? '' };
    expect(await provider().post(posted, AbortSignal.timeout(60_000))).toMatchObject({ error: null });
    const found = await messagesOf(tenant, made.id, { eventTypes: ['task:done'] });
    expect(found.messages).toMatchObject([{ eventType: 'task:done' }]);
    expect((await attemptsOf(tenant, made.id)).attempts).toMatchObject([{ eventType: 'task:done' }]);
  });

  it('rejects ids that would change a request path', async () => {
    const tenant = await aProvisionedTenant();
    const { id } = await create(tenant);
    for (const endpointId of ['..', '.', `${id}/secret`, `${id}?x=1`, '%2e%2e']) {
      expect(await tenant.refused(at('endpoints/delete'), { endpointId })).toMatchObject({ http: 404 });
    }
    expect((await list(tenant)).endpoints).toHaveLength(1);
    expect(await applicationOf(tenant)).toBeDefined();
  });

  it('gets UNAVAILABLE without Svix’s text while Svix fails', async () => {
    const tenant = await aProvisionedTenant();
    const { id: endpointId } = await create(tenant);
    const said: [number, number][] = [
      [500, 503],
      [401, 503],
      [429, 503],
      [422, 400],
    ];
    for (const [status, http] of said) {
      svix.failWith(status);
      const refusal = await tenant.refused(at('endpoints/update'), {
        endpointId,
        url: `${hook}/secret-path`,
      });
      svix.failWith(undefined);
      expect(refusal.http).toBe(http);
      expect(JSON.stringify(refusal)).not.toContain('secret-path');
    }
    expect(await update(tenant, endpointId, { rateLimit: 1 })).toMatchObject({ status: 'success' });
    expect(api.log.join('\n')).not.toContain(svixToken);
  });

  it('records events for one application from the first enable on', async () => {
    const tenant = await aListeningTenant(api);
    await happened(api, tenant, [{}]);
    const rows = await api.database.sql<{ kind: number; provider_id: string; events: string }>(
      `select w.kind, w.provider_id, (select count(*) from outbox o where o.api_key_id = w.api_key_id) as events
       from webhook_endpoint w where w.api_key_id = $1`,
      [tenant.id],
    );
    expect(rows).toEqual([{ kind: 3, provider_id: expect.stringMatching(/^steward_/), events: '1' }]);
  });
});

describe('an event posted to Svix', () => {
  const event = { eventId: 'evt_1', eventType: 'comment.add', payload: { a: 1 } };
  const within = () => AbortSignal.timeout(60_000);

  it('creates one message when posted repeatedly', async () => {
    const tenant = await aProvisionedTenant();
    const application = await applicationOf(tenant);
    const message = {
      ...event,
      applicationId: application?.uid ?? '',
      channels: ['acme', 'not one', 'plan'],
    };
    expect(await provider().post(message, within())).toMatchObject({ error: null });
    expect(await provider().post(message, within())).toMatchObject({ error: null });
    expect(application?.messages).toMatchObject([{ ...event, channels: ['acme', 'plan'] }]);
  });

  it('returns an error when Svix does not accept it', async () => {
    const tenant = await aProvisionedTenant();
    const message = { ...event, applicationId: (await applicationOf(tenant))?.uid ?? '', channels: [] };
    svix.failWith(500);
    expect(await provider().post(message, within())).toMatchObject({
      httpStatus: 500,
      error: 'Svix responded with 500.',
    });
    svix.failWith(undefined);
    const nobody = svixProvider({ token: svixToken, serverUrl: 'http://127.0.0.1:1' });
    expect(await nobody.post(message, within())).toMatchObject({
      httpStatus: null,
      error: 'Svix did not respond.',
    });
    expect(await provider().post({ ...message, applicationId: 'unknown' }, within())).toMatchObject({
      httpStatus: 404,
    });
  });
});
