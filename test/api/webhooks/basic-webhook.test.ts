import { afterAll, describe, expect, it } from '@jest/globals';
import type { ProcessedBody } from '../../../domain/webhooks/basic/processed-body.ts';
import { startTestApi } from '../../support/api.ts';
import { aReceiver } from '../../support/receiver.ts';
import { aDocument, aTenant, type TestTenant } from '../../support/factories.ts';
import { turnsOf } from '../../domain/webhooks/turns.ts';
import { aListeningTenant } from '../../support/webhooks.ts';
import { at, create, list } from './webhook-calls.ts';

const api = await startTestApi();
const receiver = await aReceiver();
const turns = turnsOf(api);
afterAll(async () => {
  await turns.close();
  await receiver.close();
  await api.close();
});

const configure = async (tenant: TestTenant, change: object) =>
  tenant.ok('/v2/workspace/webhookconfig/update', change);

const raw = new URL('/raw', receiver.url).href;
const processed = new URL('/processed', receiver.url).href;

const both = {
  useWebhookService: true,
  webhookServiceConfig: {
    authToken: 'dXNlcjpwYXNz',
    rawNotificationUrl: raw,
    processedNotificationUrl: processed,
  },
};

interface HiddenRow {
  readonly public_id: string;
  readonly kind: number;
  readonly url: string;
  readonly filter_types: readonly string[];
  readonly sealed: boolean;
}

const rowsOf = async (tenant: TestTenant): Promise<HiddenRow[]> =>
  api.database.sql<HiddenRow>(
    `select public_id, kind, url, filter_types, secret_enc is not null as sealed from webhook_endpoint
     where api_key_id = $1 and deleted_at is null and disabled_at is null order by kind`,
    [tenant.id],
  );

/** Runs dispatch and delivery turns for every endpoint of the key. */
async function deliver(tenant: TestTenant): Promise<void> {
  receiver.forget();
  for (const { public_id } of await rowsOf(tenant)) await turns.turn(tenant, public_id);
}

const event = {
  type: 'comment.add',
  payload: {
    featureType: 'comment',
    actionType: 'comment.add',
    id: 'a1',
    targetEntityId: 'thread-1',
    actionUser: { userId: 'u1', name: 'Ada', email: 'ada@example.com' },
    displayMessageTemplate: '{{actionUser}} wrote to {{reader}} about {{topic}}',
    displayMessageTemplateData: { reader: { userId: 'u2', name: 'Ben' } },
    metadata: { organizationId: 'acme', documentId: 'plan' },
  },
};

/** Adds an annotation `thread-1`, updates it, reacts to its first comment and deletes the second, with events. */
async function changeComments(tenant: TestTenant): Promise<void> {
  const location = await aDocument(tenant);
  const triggered = { ...location, triggerNotification: true };
  const ada = { userId: 'ada', name: 'Ada', email: 'ada@example.com' };
  const ben = { userId: 'ben', name: 'Ben' };
  const first = {
    from: ada,
    commentText: 'Ask {{ben}}',
    taggedUserContacts: [{ userId: 'ben', contact: ben }],
    triggerNotification: true,
  };
  await tenant.ok('/v2/commentannotations/add', {
    ...location,
    commentAnnotations: [
      { annotationId: 'thread-1', commentData: [first, { from: ben, commentText: 'No' }] },
    ],
  });
  await tenant.ok('/v2/commentannotations/update', {
    ...triggered,
    updatedData: {
      status: { id: 'DONE', name: 'Done', type: 'terminal' },
      assignedTo: { userId: 'cid', name: '' },
    },
    actionUser: ada,
  });
  const annotationId = 'thread-1';
  const reaction = { annotationId, commentId: 1, icon: '👍', from: ben };
  await tenant.ok('/v2/commentannotations/comments/reactions/add', { ...triggered, ...reaction });
  await tenant.ok('/v2/commentannotations/comments/delete', { ...triggered, annotationId, commentIds: [2] });
}

/** Delivers what was emitted. Returns the bodies that the processed URL received, in the order of the events. */
async function processedBodies(tenant: TestTenant): Promise<ProcessedBody[]> {
  await turns.queued(tenant, []);
  await deliver(tenant);
  const bodies = receiver.delivered
    .filter(({ path }) => path === '/processed')
    .map(({ text }) => JSON.parse(text) as ProcessedBody);
  return bodies.toSorted((one, other) => (one.sequence ?? 0) - (other.sequence ?? 0));
}

describe('the basic webhook', () => {
  it('delivers to both URLs while advanced webhooks are off', async () => {
    const tenant = await aTenant(api);
    await configure(tenant, both);
    await turns.queued(tenant, [event]);
    await deliver(tenant);
    const got = new Map(receiver.delivered.map((one) => [one.path, one]));
    expect([...got.keys()].toSorted()).toEqual(['/processed', '/raw']);
    for (const { headers } of got.values()) {
      expect(headers).toMatchObject({
        authorization: 'Basic dXNlcjpwYXNz',
        'content-type': 'application/json',
      });
      expect(headers['webhook-signature']).toBeUndefined();
    }
    const webhookId = got.get('/raw')?.id;
    expect(got.get('/raw')?.body).toEqual({
      event: 'comment.add',
      actionType: 'comment.add',
      source: 'comment',
      webhookId,
      version: 1,
      sequence: 1,
      data: event.payload,
    });
    expect(got.get('/processed')?.body).toEqual({
      event: 'comment.add',
      source: 'comment',
      webhookId,
      version: 1,
      sequence: 1,
      timestamp: expect.any(Number),
      organizationId: 'acme',
      documentId: 'plan',
      entityId: 'thread-1',
      actionUser: { userId: 'u1', name: 'Ada', email: 'ada@example.com' },
      message: 'Ada wrote to Ben about {{topic}}',
      details: null,
    });
  });

  it('shows who changed which annotation and the text of its comment', async () => {
    const tenant = await aTenant(api);
    await configure(tenant, both);
    await changeComments(tenant);
    const bodies = await processedBodies(tenant);
    expect(bodies.map(({ event: type, message, details }) => [type, message, details])).toEqual([
      ['comment_annotation.add', 'Ada commented', 'Ask Ben'],
      ['comment_annotation.status_change', 'Ada changed the status to Done', null],
      ['comment_annotation.assign', 'Ada assigned cid', null],
      ['comment.reaction_add', 'Ben reacted with 👍', 'Ask Ben'],
      ['comment.delete', 'Ben deleted a comment', 'No'],
    ]);
    expect(new Set(bodies.map(({ entityId }) => entityId))).toEqual(new Set(['thread-1']));
    expect(bodies[0]?.actionUser).toEqual({ userId: 'ada', name: 'Ada', email: 'ada@example.com' });
  });

  it('shows which annotation was changed, and no name and no text, with data protection', async () => {
    const tenant = await aTenant(api);
    await configure(tenant, both);
    await configure(tenant, { webhookServiceConfig: { enableDataProtection: true } });
    await changeComments(tenant);
    const bodies = await processedBodies(tenant);
    expect(bodies.map(({ message }) => message)).toEqual([
      'A comment thread was added.',
      'The status of a comment thread was changed.',
      'A comment thread was assigned.',
      'A reaction to a comment was added.',
      'A comment was deleted.',
    ]);
    for (const { entityId, details, actionUser } of bodies) {
      expect({ entityId, details }).toEqual({ entityId: 'thread-1', details: null });
      expect(actionUser).toMatchObject({ name: null, email: null });
    }
  });

  it('delivers events of every kind of write', async () => {
    const tenant = await aTenant(api);
    await configure(tenant, both);
    await tenant.ok('/v2/workspace/activityconfig/update', { activityServiceConfig: { isEnabled: true } });
    await tenant.ok('/v2/activities/add', {
      organizationId: 'acme',
      documentId: 'plan',
      createOrganization: true,
      createDocument: true,
      activities: [{ featureType: 'comment', actionType: 'comment.add', actionUser: { userId: 'u1' } }],
    });
    const recorded = await api.database.sql<{ type: string }>(
      'select type from event where api_key_id = $1',
      [tenant.id],
    );
    expect(recorded).toEqual([{ type: 'comment.add' }]);
  });

  it('delivers only event types whose trigger is on', async () => {
    const tenant = await aTenant(api);
    await configure(tenant, both);
    const triggers = { comment: { 'comment.add': false }, crdt: { 'crdt.update_data': true } };
    await configure(tenant, { webhookServiceConfig: { triggers } });
    await turns.queued(tenant, [
      event,
      { type: 'crdt.update_data' },
      { type: 'comment.update' },
      { type: 'never.heard.of' },
    ]);
    await deliver(tenant);
    const types = receiver.delivered.filter(({ path }) => path === '/raw').map(({ body }) => body.event);
    expect(types.toSorted()).toEqual(['comment.update', 'crdt.update_data']);
  });

  it('has no endpoint row while it is off or has no URL or trigger', async () => {
    const tenant = await aTenant(api);
    await configure(tenant, { webhookServiceConfig: both.webhookServiceConfig });
    expect(await rowsOf(tenant)).toEqual([]);
    await configure(tenant, { useWebhookService: true });
    expect((await rowsOf(tenant)).map(({ kind, url, sealed }) => [kind, url, sealed])).toEqual([
      [1, raw, true],
      [2, processed, true],
    ]);
    await configure(tenant, { webhookServiceConfig: { rawNotificationUrl: '', authToken: '' } });
    expect((await rowsOf(tenant)).map(({ kind, sealed }) => [kind, sealed])).toEqual([[2, false]]);
    const { data } = await tenant.ok<{ webhookServiceConfig: { triggers: Record<string, object> } }>(
      '/v2/workspace/webhookconfig/get',
    );
    const off = Object.fromEntries(
      Object.entries(data.webhookServiceConfig.triggers).map(([group, triggers]) => [
        group,
        Object.fromEntries(Object.keys(triggers).map((type) => [type, false])),
      ]),
    );
    await configure(tenant, { webhookServiceConfig: { triggers: off } });
    expect(await rowsOf(tenant)).toEqual([]);
    await configure(tenant, { webhookServiceConfig: { triggers: { comment: { 'comment.add': true } } } });
    expect((await rowsOf(tenant)).map(({ kind, filter_types }) => [kind, filter_types])).toEqual([
      [2, ['comment.add']],
    ]);
    await configure(tenant, { useWebhookService: false });
    expect(await rowsOf(tenant)).toEqual([]);
  });

  it('updates URLs and tokens in its endpoint rows without replacing them', async () => {
    const tenant = await aTenant(api);
    await configure(tenant, both);
    const before = await rowsOf(tenant);
    const url = `${raw}/2`;
    await configure(tenant, { webhookServiceConfig: { rawNotificationUrl: url, authToken: 'bmV3' } });
    const after = await rowsOf(tenant);
    expect(after.map(({ public_id }) => public_id)).toEqual(before.map(({ public_id }) => public_id));
    await turns.queued(tenant, [event]);
    await deliver(tenant);
    const tokens = new Map(receiver.delivered.map(({ path, headers }) => [path, headers.authorization]));
    expect(Object.fromEntries(tokens)).toEqual({ '/processed': 'Basic bmV3', '/raw/2': 'Basic bmV3' });
  });

  it('enables a disabled endpoint when its URL changes', async () => {
    const tenant = await aTenant(api);
    await configure(tenant, both);
    await api.database.sql(`update webhook_endpoint set disabled_at = now() where api_key_id = $1`, [
      tenant.id,
    ]);
    await configure(tenant, { webhookServiceConfig: { encodeData: true } });
    expect(await rowsOf(tenant)).toEqual([]);
    await configure(tenant, { webhookServiceConfig: { rawNotificationUrl: `${raw}/new` } });
    expect((await rowsOf(tenant)).map(({ kind }) => kind)).toEqual([1]);
  });

  it('encodes bodies and removes personal data when configured', async () => {
    const tenant = await aTenant(api);
    await configure(tenant, both);
    await configure(tenant, { webhookServiceConfig: { encodeData: true, enableDataProtection: true } });
    await turns.queued(tenant, [event]);
    await deliver(tenant);
    for (const { text, path } of receiver.delivered) {
      const { encodedPayload } = JSON.parse(text) as { encodedPayload: string };
      const body = Buffer.from(encodedPayload, 'base64').toString('utf8');
      expect(body).toContain('u1');
      expect(body).not.toMatch(/\b(?:Ada|Ben)\b|ada@example\.com|wrote/);
      if (path === '/processed') {
        expect(JSON.parse(body)).toMatchObject({
          message: 'A comment was added.',
          actionUser: { userId: 'u1', name: null, email: null },
        });
      }
    }
    expect(receiver.delivered).toHaveLength(2);
  });

  it('rejects a public key that cannot encrypt', async () => {
    const tenant = await aTenant(api);
    const service = { encryptData: true, publicKey: 'no key' };
    expect(
      await tenant.refused('/v2/workspace/webhookconfig/update', { webhookServiceConfig: service }),
    ).toMatchObject({
      http: 400,
      message: 'webhookServiceConfig.publicKey must be an RSA public key of at least 2048 bits.',
    });
  });

  it('counts its five days of failures anew after its messages were held', async () => {
    const tenant = await aTenant(api);
    await configure(tenant, both);
    await api.database.sql(
      `update webhook_endpoint set failing_since = now() - interval '6 days' where api_key_id = $1`,
      [tenant.id],
    );
    const failing = async () => {
      const rows = await api.database.sql(
        'select from webhook_endpoint where api_key_id = $1 and failing_since is not null',
        [tenant.id],
      );
      return rows.length;
    };
    // Encryption without a key holds all messages.
    await configure(tenant, { webhookServiceConfig: { encryptData: true } });
    expect(await failing()).toBe(2);
    await configure(tenant, { webhookServiceConfig: { encryptData: false } });
    expect(await failing()).toBe(0);
  });

  it('is on at once for an API key that is created with it', async () => {
    const { workspace } = await aTenant(api);
    const { data } = await workspace.ok<{ apiKey: string }>('/v2/workspace/apikey/create', {
      ownerEmail: 'owner@example.com',
      type: 'testing',
      ...both,
    });
    const found = await api.database.sql<{ kind: number }>(
      `select w.kind from webhook_endpoint w join api_key k on k.id = w.api_key_id
       where k.key_hash = sha256($1::bytea) order by w.kind`,
      [Buffer.from(data.apiKey)],
    );
    expect(found).toEqual([{ kind: 1 }, { kind: 2 }]);
  });

  it('is not visible to operations of advanced webhooks', async () => {
    const tenant = await aListeningTenant(api);
    const { id } = await create(tenant);
    await configure(tenant, both);
    expect((await list(tenant)).endpoints.map((endpoint) => endpoint.id)).toEqual([id]);
    for (const { public_id } of await rowsOf(tenant)) {
      if (public_id === id) continue;
      for (const operation of [
        'delete',
        'test',
        'secret/get',
        'secret/rotate',
        'stats/get',
        'messages/get',
      ]) {
        expect(await tenant.refused(at(`endpoints/${operation}`), { endpointId: public_id })).toMatchObject({
          http: 404,
        });
      }
    }
  });
});
