import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { anEndedDelivery } from '../support/deliveries.ts';
import { aDocument, aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { aProvider, saying } from '../support/provider.ts';
import { aMailingTenant, notified, notifiedIn } from '../support/senders.ts';
import { explain, statementsOf } from '../support/statements.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi({ environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' } });
  tenant = await aMailingTenant(api);
});
afterAll(async () => api.close());

interface Channel {
  readonly outcome: string;
  readonly reason: string | null;
  readonly source: string;
  readonly rules: readonly { readonly rule: string; readonly passed: boolean }[];
  readonly dueAt: number | null;
  readonly deliveryIds: readonly string[];
}

interface Explanation {
  readonly inbox: { readonly inInbox: boolean; readonly read: boolean };
  readonly email: Channel;
  readonly slack: Channel;
}

interface Location {
  readonly notificationId: string;
  readonly organizationId: string;
  readonly documentId: string;
}

const added = async (members: object = {}, by: TestTenant = tenant): Promise<Location> =>
  (await notified(by, members)) as unknown as Location;

const explained = async (
  { organizationId, notificationId }: Location,
  userId = 'ben',
  by: TestTenant = tenant,
): Promise<Explanation> =>
  (await by.ok<Explanation>('/v2/notifications/explain', { organizationId, notificationId, userId })).data;

const prefer = async ({ organizationId }: Location, userId: string, email: string) =>
  tenant.ok('/v2/notifications/config/set', {
    organizationId,
    userIds: [userId],
    config: { inbox: 'ALL', email, slack: 'NONE' },
  });

const planning = ['service', 'channel', 'trigger', 'recipient', 'access', 'preference'];
const namesOf = ({ rules }: Channel) => rules.map(({ rule }) => rule);

describe('notifications/explain', () => {
  it('returns the recorded rules of a waiting notice', async () => {
    const location = await added();
    const { inbox, email, slack } = await explained(location);
    expect(inbox).toEqual({ inInbox: true, read: false });
    expect(email).toEqual({
      outcome: 'waiting',
      reason: null,
      source: 'recorded',
      rules: planning.map((rule) => ({ rule, passed: true })),
      dueAt: expect.any(Number),
      deliveryIds: [],
    });
    expect(slack).toMatchObject({
      outcome: 'not-planned',
      reason: 'channel-off',
      source: 'computed',
      rules: [
        { rule: 'service', passed: true },
        { rule: 'channel', passed: false },
      ],
    });
    await api.database.sql(
      `update notice set state = 1 where notification_id = (select id from notification where ext_id = $1)`,
      [location.notificationId],
    );
    expect((await explained(location)).email).toMatchObject({ outcome: 'batching', source: 'recorded' });
  });

  it('ends with the rule that a recorded delivery failed', async () => {
    const location = await added();
    await api.database.sql('delete from notice where api_key_id = $1', [tenant.id]);
    const about = { tenantId: tenant.id, notificationId: location.notificationId, userId: 'ben' };
    const skipped = await anEndedDelivery(api, about, { status: 'skipped' });
    const { email } = await explained(location);
    expect(email).toMatchObject({ outcome: 'skipped', reason: 'seen', dueAt: null, deliveryIds: [skipped] });
    const sending = ['exists', 'user', 'service', 'channel', 'access', 'preference', 'seen'];
    expect(namesOf(email)).toEqual([...planning, ...sending]);
    expect(email.rules.filter(({ passed }) => !passed)).toEqual([{ rule: 'seen', passed: false }]);
    const sent = await anEndedDelivery(api, about);
    const later = (await explained(location)).email;
    expect([later.outcome, later.deliveryIds]).toEqual(['sent', [skipped, sent]]);
    expect(later.rules.every(({ passed }) => passed)).toBe(true);
  });

  it('applies the planning rules with the current settings when no notice was planned', async () => {
    const location = await added({ notifyUsers: undefined, verifyUserPermissions: true });
    const of = async (userId: string) => (await explained(location, userId)).email.reason;
    expect(await of('cleo')).toBe('not-recipient');
    await tenant.ok('/v2/users/add', {
      organizationId: location.organizationId,
      documentId: location.documentId,
      users: [{ userId: 'cleo' }, { userId: 'ada' }],
    });
    expect(await of('ada')).toBe('actor');
    expect(await of('cleo')).toBe('preference-mine');
    await prefer(location, 'cleo', 'NONE');
    const { email } = await explained(location, 'cleo');
    expect(email).toMatchObject({ outcome: 'not-planned', reason: 'preference-none', source: 'computed' });
    expect(namesOf(email)).toEqual(planning);
    await prefer(location, 'cleo', 'ALL');
    expect((await explained(location, 'cleo')).email).toMatchObject({ outcome: 'not-planned', reason: null });
  });

  it('explains a comment by its trigger, the involved users and the visibility of its annotation', async () => {
    const location = await aDocument(tenant);
    await tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });
    await tenant.ok('/v2/users/add', { ...location, users: [{ userId: 'mary' }, { userId: 'eve' }] });
    await tenant.ok('/v2/commentannotations/add', {
      ...location,
      commentAnnotations: [
        {
          annotationId: freshId('thread'),
          visibility: { type: 'restricted', userIds: ['mary'] },
          commentData: [{ commentText: 'Hello', from: { userId: 'ada' }, triggerNotification: true }],
        },
      ],
    });
    const [found] = await api.database.sql<{ notificationId: string }>(
      `select ext_id as "notificationId" from notification where api_key_id = $1 and thread_id is not null`,
      [tenant.id],
    );
    const about = { ...location, notificationId: found?.notificationId ?? '' };
    const of = async (userId: string) => (await explained(about, userId)).email.reason;
    const trigger = async (on: boolean) =>
      tenant.ok('/v2/workspace/emailconfig/update', {
        emailServiceConfig: { triggers: { comment: { 'comment_annotation.add': on, 'comment.add': on } } },
      });
    await trigger(false);
    expect(await of('mary')).toBe('trigger-off');
    await trigger(true);
    expect(await of('ada')).toBe('actor');
    expect(await of('eve')).toBe('not-visible');
    expect(await of('mary')).toBe('preference-mine');
  });

  it('recognizes users that the call named, also without an inbox entry and after the texts changed', async () => {
    const named = { notifyUsers: [{ userId: 'ben' }, { userId: 'dora' }] };
    const location = await added();
    const { organizationId, documentId, notificationId } = location;
    await tenant.ok('/v2/users/add', { organizationId, documentId, users: [{ userId: 'cleo' }] });
    const none = { inbox: 'NONE', email: 'NONE', slack: 'NONE' };
    await tenant.ok('/v2/notifications/config/set', { organizationId, userIds: ['dora'], config: none });
    await notifiedIn(tenant, { organizationId, documentId }, { notificationId, ...named });
    const reasons = async () =>
      Promise.all(['dora', 'cleo'].map(async (userId) => (await explained(location, userId)).email.reason));
    expect(await reasons()).toEqual(['preference-none', 'not-recipient']);
    expect((await explained(location, 'dora')).inbox.inInbox).toBe(false);
    await tenant.ok('/v2/notifications/update', {
      organizationId,
      notifications: [{ id: notificationId, displayBodyMessage: 'Another text' }],
    });
    expect(await reasons()).toEqual(['preference-none', 'not-recipient']);
    await notifiedIn(tenant, { organizationId, documentId }, { notificationId, notifyUsers: undefined });
    expect(await reasons()).toEqual(['not-recipient', 'preference-mine']);
  });

  it('verifies the access of a named user like the call', async () => {
    const location = await aDocument(tenant);
    const { organizationId, documentId } = location;
    await tenant.ok('/v2/organizations/documents/access/update', {
      organizationId,
      documentIds: [documentId],
      accessType: 'restricted',
    });
    const added = await notifiedIn(tenant, location, { verifyUserPermissions: true });
    expect((await explained({ ...location, ...added })).email).toMatchObject({
      outcome: 'not-planned',
      reason: 'no-access',
    });
  });

  it('treats a recipient that 0.2.0 wrote as a member when the call is unknown', async () => {
    const location = await added();
    const { organizationId, documentId, notificationId } = location;
    await tenant.ok('/v2/users/add', { organizationId, documentId, users: [{ userId: 'cleo' }] });
    // 0.2.0 assigns another audience and does not write the new columns.
    await api.database.sql(
      `update notification set audience = nextval('notification_audience_seq'), content_hash = null
       where api_key_id = $1 and ext_id = $2`,
      [tenant.id, notificationId],
    );
    expect((await explained(location, 'cleo')).email.reason).toBe('preference-mine');
  });

  it('calls the permission provider when the rules reach the access check', async () => {
    const provider = await aProvider();
    const own = await aMailingTenant(api);
    await own.ok('/v2/workspace/permissionproviderconfig/update', {
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl: provider.url },
    });
    provider.behave(saying({ hasAccess: false }));
    const location = await added({ verifyUserPermissions: true }, own);
    const before = provider.received.length;
    await api.database.sql('delete from provider_answer where api_key_id = $1', [own.id]);
    expect((await explained(location, 'ben', own)).email.reason).toBe('no-access');
    expect(provider.received).toHaveLength(before + 1);
    await api.database.sql('delete from provider_answer where api_key_id = $1', [own.id]);
    expect((await explained(location, 'cleo', own)).email.reason).toBe('not-recipient');
    expect(provider.received).toHaveLength(before + 1);
    await provider.close();
  });

  it('applies the rules of settings before those of the user, also for an unknown user', async () => {
    const location = await added();
    const unknown = await explained(location, 'nobody');
    expect(unknown.inbox).toEqual({ inInbox: false, read: false });
    expect(unknown.email).toMatchObject({ outcome: 'not-planned', reason: 'not-recipient' });
    await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: false });
    expect((await explained(location, 'nobody')).email.reason).toBe('service-off');
    await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
  });

  it('refuses an unknown notification, and one of another key', async () => {
    const { organizationId, notificationId } = await added();
    const sent = { organizationId, notificationId: 'unknown', userId: 'ben' };
    expect(await tenant.refused('/v2/notifications/explain', sent)).toMatchObject({ status: 'NOT_FOUND' });
    const other = await aTenant(api);
    const location = await aDocument(other);
    const foreign = { organizationId: location.organizationId, notificationId, userId: 'ben' };
    expect(await other.refused('/v2/notifications/explain', foreign)).toMatchObject({ status: 'NOT_FOUND' });
  });

  it.each([
    { recipients: 3, listed: 'delivery_item', by: 'notification_id = ', looked: 'delivery_log' },
    { recipients: 100_000, listed: 'delivery_log', by: 'user_id = ', looked: 'delivery_item' },
  ])(
    'lists the deliveries of a small notification, or those of the user for a large one: $recipients recipients',
    async ({ recipients, listed, by, looked }) => {
      const location = await added();
      const about = { tenantId: tenant.id, notificationId: location.notificationId, userId: 'ben' };
      const delivery = await anEndedDelivery(api, about);
      await anEndedDelivery(api, { ...about, userId: 'ada' });
      await anEndedDelivery(api, { ...about, notificationId: (await added()).notificationId });
      await api.database.sql(
        'delete from notice where api_key_id = $1 and notification_id = (select id from notification where ext_id = $2)',
        [tenant.id, location.notificationId],
      );
      await api.database.sql(
        'update notification set recipient_count = $3 where api_key_id = $1 and ext_id = $2',
        [tenant.id, location.notificationId, recipients],
      );
      const sent = await statementsOf(async () =>
        expect((await explained(location)).email.deliveryIds).toEqual([delivery]),
      );
      const reading = sent.find(({ text }) => text.includes('delivery_log'));
      const { indexes, conditions } = await explain(api.database, reading ?? { text: '' });
      const conditionsOf = (table: string): readonly string[] =>
        conditions.filter((_, nth) => indexes[nth]?.startsWith(`${table}_`));
      expect(conditionsOf(listed)).not.toEqual([]);
      for (const condition of conditionsOf(listed)) {
        expect(condition).toContain(by);
        expect(condition).toContain('(at > ');
      }
      expect(conditionsOf(looked)).not.toEqual([]);
      for (const condition of conditionsOf(looked)) expect(condition).toMatch(/\(at = \w+\.at\)/u);
    },
  );

  it('reads every table by an index', async () => {
    const { organizationId, notificationId } = await added();
    const sent = await statementsOf(async () =>
      tenant.ok('/v2/notifications/explain', { organizationId, notificationId, userId: 'ben' }),
    );
    const own = sent.filter(({ text }) => /delivery_log|thread_person/u.test(text));
    expect(own).toHaveLength(2);
    const client = await api.database.connect();
    await client.query('set enable_seqscan = off');
    for (const { text } of own) {
      const { rows } = await client.query<Record<string, string>>(`explain (generic_plan) ${text}`);
      const plan = rows.map((line) => line['QUERY PLAN']).join('\n');
      expect(plan.match(/Seq Scan on (?!pg_)\w+/g)).toBeNull();
    }
    await client.end();
  });
});
