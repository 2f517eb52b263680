import { describe, expect, it } from '@jest/globals';
import { freshId } from '../support/factories.ts';
import { allRows } from '../support/rows.ts';
import { aUser, inADocument, texts, users, type Added, notificationsScene } from './notification-calls.ts';

const { api, tenant } = await notificationsScene();

describe('adding a notification', () => {
  it.each([1, 2] as const)('returns its id on /v%i, and a read returns what was sent', async (version) => {
    const document = await inADocument(tenant);
    const sent = {
      ...texts,
      displayHeadlineMessageTemplateData: { recipientUser: { userId: 'b', name: 'Ben' }, project: 'X' },
      displayBodyMessageTemplate: '{x}',
      displayBodyMessageTemplateData: { x: 'y' },
      notificationSource: 'comment',
      notificationSourceData: { commentId: 7, ['__proto__']: { a: 1 } },
      location: { locationId: 'page-1', name: 'Page 1' },
      context: { k: ['v'] },
    };
    const added = await document.ok<Added>(
      'add',
      {
        documentId: document.documentId,
        ...sent,
        metadata: { priority: 'high', apiKey: 'mine', organizationId: 'mine', documentId: 'mine' },
        notifyUsers: [{ userId: 'b', email: 'ben@example.com' }, { userId: 'c' }],
        isCrossOrganizationEnabled: true,
      },
      { version },
    );
    const { notificationId } = added.data;
    expect(notificationId).toMatch(/^[A-Za-z0-9_-]{1,128}$/);
    expect(added).toEqual({
      status: 'success',
      message: 'Notification added successfully.',
      data: { success: true, message: 'Notification added successfully.', notificationId },
    });
    const [read, ...others] = await document.get();
    expect(others).toEqual([]);
    expect(read).toEqual({
      id: notificationId,
      ...sent,
      timestamp: expect.any(Number),
      notifyUsers: { 'ben@example.com': true },
      notifyUsersByUserId: { b: true, c: true },
      notifyUsersCount: 2,
      metadata: {
        priority: 'high',
        apiKey: tenant.apiKey,
        organizationId: document.organizationId,
        documentId: document.documentId,
      },
    });
  });

  it('requires no texts when the customer’s resolver supplies them', async () => {
    const document = await inADocument(tenant);
    const { data } = await document.ok<Added>('add', {
      documentId: document.documentId,
      actionUser: { userId: 'a' },
      isNotificationResolverUsed: true,
      notifyUsers: users('b'),
    });
    expect(await document.get()).toMatchObject([
      { id: data.notificationId, displayBodyMessage: '', displayHeadlineMessageTemplate: '' },
    ]);
  });

  it('creates organization and document only when the flags allow it', async () => {
    const [organizationId, documentId] = [freshId('organization'), freshId('document')];
    const path = '/v2/notifications/add';
    const sent = { organizationId, documentId, ...texts, notifyUsers: users('b') };
    const before = await allRows(api.database);
    const missing = async (members: object) => {
      const { status, message } = await tenant.refused(path, { ...sent, ...members });
      return [status, message];
    };
    expect(await missing({})).toEqual([
      'NOT_FOUND',
      'Organization does not exist. Add it with POST /v2/organizations/add or send createOrganization: true.',
    ]);
    expect(await missing({ createOrganization: true })).toEqual([
      'NOT_FOUND',
      'Document does not exist. Add it with POST /v2/organizations/documents/add or send createDocument: true.',
    ]);
    expect(await allRows(api.database)).toEqual(before);
    await tenant.ok(path, { ...sent, createOrganization: true, createDocument: true });
    const read = await tenant.ok<unknown[]>('/v2/notifications/get', { organizationId, documentId });
    expect(read.data).toHaveLength(1);
  });

  it('counts a recipient who is named twice once, with the last members sent', async () => {
    const document = await inADocument(tenant);
    await document.add({
      notifyUsers: [
        { userId: 'b', email: 'old@example.com' },
        { userId: 'b', email: 'new@example.com' },
      ],
    });
    expect(await document.get()).toMatchObject([
      { notifyUsers: { 'new@example.com': true }, notifyUsersCount: 1 },
    ]);
  });

  it('returns the stored e-mail address of a recipient, and the one sent where none is stored', async () => {
    const document = await inADocument(tenant);
    const known = aUser();
    await document.add({
      notifyUsers: [
        { userId: known, email: 'sent@example.com' },
        { userId: aUser(), email: 'only@example.com' },
      ],
    });
    const emails = async () => Object.keys((await document.get())[0]?.notifyUsers ?? {}).sort();
    expect(await emails()).toEqual(['only@example.com', 'sent@example.com']);
    await tenant.ok('/v2/users/add', {
      organizationId: document.organizationId,
      users: [{ userId: known, email: 'own@example.com' }],
    });
    expect(await emails()).toEqual(['only@example.com', 'own@example.com']);
  });

  it('keeps users whose ids are names of object members', async () => {
    const document = await inADocument(tenant);
    const ids = ['__proto__', 'constructor', 'toString'];
    await document.add({ notifyUsers: ids.map((userId) => ({ userId, email: `${userId}@example.com` })) });
    const [read] = await document.get({ userId: '__proto__' });
    expect(Object.keys(read?.notifyUsersByUserId ?? {}).sort()).toEqual([...ids].sort());
    expect(Object.keys(read?.notifyUsers ?? {})).toContain('__proto__@example.com');
  });
});

describe('adding a notification whose id exists', () => {
  it('overwrites it, also from another document of the organization, and makes it unread', async () => {
    const document = await inADocument(tenant);
    const { organizationId } = document;
    const other = freshId('document');
    const notificationId = freshId('n');
    await document.add({ notificationId, notifyUsers: users('a', 'b') });
    const [first] = await document.get({ userId: 'a' });
    await document.ok('update', { notifications: [{ id: notificationId, readByUserIds: ['a', 'b'] }] });
    expect(await document.get({ userId: 'a' })).toMatchObject([{ isUnread: false }]);
    await document.add({
      notificationId,
      documentId: other,
      createDocument: true,
      displayBodyMessage: 'Anew.',
      notifyUsers: users('b', 'c'),
    });
    expect(await document.get()).toEqual([]);
    expect(await document.get({ userId: 'a' })).toEqual([]);
    expect(await document.get({ userId: 'b' })).toEqual([
      {
        ...first,
        displayBodyMessage: 'Anew.',
        notifyUsersByUserId: { b: true, c: true },
        isUnread: true,
        metadata: { apiKey: tenant.apiKey, organizationId, documentId: other },
      },
    ]);
    const rows = await api.database.sql(
      'select 1 from notification_recipient where user_id = (select id from app_user where ext_id = $1 and api_key_id = $2) and org_id = (select id from organization where ext_id = $3)',
      ['a', tenant.id, organizationId],
    );
    expect(rows).toEqual([]);
  });

  it('changes nothing when the same is sent again, and keeps read marks', async () => {
    const document = await inADocument(tenant);
    const sent = { notificationId: freshId('n'), notifyUsers: users('a') };
    await document.add(sent);
    await document.ok('update', { notifications: [{ id: sent.notificationId, readByUserIds: ['a'] }] });
    // After an update, the next addition differs and is written.
    await document.add(sent);
    await document.ok('update', { notifications: [{ id: 'none', readByUserIds: ['a'] }] });
    const before = await allRows(api.database);
    const again = await document.add({ ...sent, explain: true });
    expect(again).toMatchObject({ notificationId: sent.notificationId, explain: [{ notified: true }] });
    expect(await allRows(api.database)).toEqual(before);
  });

  it('writes once for any number of concurrent calls', async () => {
    const document = await inADocument(tenant);
    const notificationId = freshId('n');
    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        document.add({
          notificationId,
          displayBodyMessage: String(n),
          notifyUsers: users('a', `b${String(n)}`),
        }),
      ),
    );
    const [read, ...others] = await document.get({ userId: 'a' });
    expect(others).toEqual([]);
    expect(read?.notifyUsersByUserId).toEqual({
      a: true,
      [`b${String(read?.['displayBodyMessage'])}`]: true,
    });
  });
});

describe('the event of a notification', () => {
  const events = async () =>
    api.database.sql<{ type: string; channels: string[]; payload: Record<string, unknown>; users: string[] }>(
      `select e.type, e.channels, e.payload, array(
         select u.ext_id from event_user x join app_user u on u.id = x.user_id where x.event_id = e.id order by 1) as users
       from event e where e.api_key_id = $1 order by e.id`,
      [tenant.id],
    );

  it('is recorded once for each change, with the users of the notification, and not when the same is sent again', async () => {
    const document = await inADocument(tenant);
    await document.add({ notifyUsers: users('b') });
    expect(await events()).toEqual([]);
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await api.database.sql(
      `insert into webhook_endpoint (api_key_id, public_id, url) values ($1, $2, 'https://example.com')`,
      [tenant.id, freshId('ep')],
    );
    const notificationId = freshId('n');
    const sent = {
      notificationId,
      notifyUsers: [{ userId: 'b', email: 'b@example.com' }],
      context: { about: { userId: 'c' } },
    };
    await document.add(sent);
    await document.add(sent);
    await document.ok('update', { notifications: [{ id: notificationId, displayBodyMessage: 'x' }] });
    const { organizationId, documentId } = document;
    expect(await events()).toEqual([
      {
        type: 'notification.add',
        channels: [organizationId, documentId],
        payload: {
          ...texts,
          notificationSource: 'custom',
          context: sent.context,
          id: notificationId,
          timestamp: expect.any(Number),
          notifyUsers: { 'b@example.com': true },
          notifyUsersByUserId: { b: true },
          notifyUsersCount: 1,
          metadata: { organizationId, documentId },
        },
        users: ['actor', 'b', 'c'],
      },
    ]);
  });
});
