import { describe, expect, it } from '@jest/globals';
import { tenantScene } from '../support/document-scene.ts';
import { freshId } from '../support/factories.ts';
import { reversedMembers } from '../support/reversed-members.ts';
import { rowsOf } from '../support/rows.ts';
import { withListeners } from '../support/webhooks.ts';
import { inADocument, texts, users, type NotificationCalls } from './notification-calls.ts';

const { api, tenant } = await tenantScene({
  prepare: async (caller, started) => {
    await withListeners(caller, started);
    await caller.ok('/v2/workspace/emailconfig/update', { useEmailService: true });
  },
});

const rows = async () => rowsOf(api.database, tenant.id);

/** The numbers of events and of waiting e-mails, and whether the notification is unread for ben. */
async function effects(document: NotificationCalls) {
  const { event = [], notice = [] } = await rows();
  const [read] = await document.get({ userId: 'ben' });
  return { events: event.length, notices: notice.length, isUnread: read?.isUnread };
}

const sent = {
  displayBodyMessage: 'Hello.',
  displayBodyMessageTemplateData: { b: 1, a: [{ y: 1, x: 2 }, 3] },
  location: { locationId: 'page-1', name: 'Page 1' },
  metadata: { priority: 'high', more: { b: 1, a: 2 } },
  context: { 10: 'ten', 9: 'nine', ['__proto__']: { b: 1, a: 2 } },
  notifyUsers: [
    { userId: 'ben', email: 'ben@users.test', name: 'Ben' },
    { userId: 'cleo', email: 'cleo@users.test' },
    { userId: '__proto__' },
  ],
};

/** Adds the notification, and ben has read it. */
async function added(members: object = sent) {
  const document = await inADocument(tenant);
  const notificationId = freshId('n');
  await document.add({ ...members, notificationId });
  // Read marks keep the hashes.
  await document.ok('update', { notifications: [{ id: notificationId, readByUserIds: ['ben'] }] });
  return {
    document,
    notificationId,
    again: async (other: object) => document.add({ ...other, notificationId }),
  };
}

describe('a repeated notification', () => {
  it.each([
    ['with its members in another order', reversedMembers(sent)],
    ['with its recipients in another order', { ...sent, notifyUsers: sent.notifyUsers.toReversed() }],
    [
      'with other members of recipients',
      { ...sent, notifyUsers: sent.notifyUsers.map((user) => ({ ...user, name: 'Other' })) },
    ],
    [
      'with members that responses contain without them',
      {
        ...reversedMembers(sent),
        metadata: { apiKey: 'a', organizationId: 'b', documentId: 'c', ...reversedMembers(sent.metadata) },
        displayHeadlineMessageTemplateData: {},
        notificationSource: 'custom',
        notificationSourceData: {},
        isNotificationResolverUsed: false,
        verifyUserPermissions: false,
      },
    ],
  ])('%s changes nothing, emits nothing and sends nothing', async (_, repeated) => {
    const { document, again } = await added();
    const before = await rows();
    const { events, notices, isUnread } = await effects(document);
    expect([events > 0, notices > 0, isUnread]).toEqual([true, true, false]);
    await again(repeated);
    expect(await rows()).toEqual(before);
  });

  it('to the members of the document is recognized too, and not as one that names them', async () => {
    const document = await inADocument(tenant);
    const { organizationId, documentId } = document;
    await tenant.ok('/v2/users/add', { organizationId, documentId, users: users('ben') });
    const request = { ...sent, notifyUsers: undefined, notificationId: freshId('n') };
    await document.add(request);
    const before = await rows();
    await document.add({ ...reversedMembers(request), metadata: { more: { a: 2, b: 1 }, priority: 'high' } });
    expect(await rows()).toEqual(before);
    await document.add({ ...request, notifyUsers: users('ben') });
    expect(await rows()).not.toEqual(before);
  });

  it.each([
    ['another text', { displayBodyMessage: 'Hallo.' }],
    ['a list in another order', { displayBodyMessageTemplateData: { b: 1, a: [3, { y: 1, x: 2 }] } }],
    ['a recipient less', { notifyUsers: sent.notifyUsers.slice(0, 2) }],
    [
      'another address',
      { notifyUsers: [{ userId: 'ben', email: 'b@users.test' }, ...sent.notifyUsers.slice(1)] },
    ],
    ['verified recipients', { verifyUserPermissions: true }],
    ['another source', { notificationSource: 'huddle' }],
  ])('with %s is a change', async (_, members) => {
    const { document, again } = await added();
    const before = await effects(document);
    await again(reversedMembers({ ...sent, ...members }));
    const after = await effects(document);
    expect(after.events).toBe(before.events + 1);
    expect(after.isUnread).toBe(true);
  });

  it('is written again after an update, and after a recipient was removed', async () => {
    const { document, notificationId: id, again } = await added();
    await document.ok('update', { notifications: [{ id, displayBodyMessage: 'Updated.' }] });
    await again(reversedMembers(sent));
    expect(await document.get()).toMatchObject([{ displayBodyMessage: 'Hello.' }]);
    await document.ok('delete', { documentId: document.documentId, userId: 'ben' });
    await again(reversedMembers(sent));
    expect(await document.get({ userId: 'ben' })).toMatchObject([{ id, isUnread: true }]);
  });
});

describe('a notification that release 0.2.0 wrote', () => {
  const asOf020 = async (assignments: string) =>
    api.database.sql(`update notification set ${assignments} where api_key_id = $1`, [tenant.id]);

  it('is recognized in the order in which it was sent', async () => {
    const { again } = await added();
    await asOf020('canonical_hash = null');
    const before = await rows();
    await again(sent);
    expect(await rows()).toEqual(before);
    await again(reversedMembers(sent));
    expect(await rows()).not.toEqual(before);
  });

  it.each(["content_hash = '\\x00'", 'content_hash = null'])(
    'is not taken for the one before it: %s',
    async (overwriting) => {
      const { document, again } = await added();
      await asOf020(overwriting);
      await again(reversedMembers({ ...texts, ...sent }));
      expect(await effects(document)).toMatchObject({ isUnread: true });
    },
  );
});
