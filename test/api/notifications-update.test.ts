import { describe, expect, it } from '@jest/globals';
import { issuesOf } from '../support/client.ts';
import { freshId } from '../support/factories.ts';
import { allRows } from '../support/rows.ts';
import { statementsOf } from '../support/statements.ts';
import {
  notificationsScene,
  aUser,
  inADocument,
  users,
  type Items,
  type NotificationCalls,
} from './notification-calls.ts';

const { api, tenant } = await notificationsScene();

const update = async (calls: NotificationCalls, notifications: readonly object[], scope: object = {}) =>
  calls.ok<Items>('update', { notifications, ...scope });

async function aNotification(members: object = { notifyUsers: users('ann', 'ben') }) {
  const calls = await inADocument(tenant);
  const { notificationId: id } = await calls.add(members);
  const unread = async () =>
    Object.fromEntries(
      await Promise.all(
        ['ann', 'ben'].map(async (userId) => [userId, (await calls.get({ userId }))[0]?.isUnread]),
      ),
    );
  return { calls, id, unread };
}

describe('updating notifications', () => {
  it.each([1, 2] as const)('replaces the members sent on /v%i, and keeps the others', async (version) => {
    const { calls, id } = await aNotification({
      notifyUsers: users('ann'),
      metadata: { a: 1 },
      context: { b: 2 },
    });
    const [before] = await calls.get();
    const changed = {
      actionUser: { userId: 'zoe', name: 'Zoe' },
      displayHeadlineMessageTemplate: '{actionUser} wrote again',
      displayHeadlineMessageTemplateData: { x: { userId: 'named' } },
      displayBodyMessageTemplate: '{y}',
      displayBodyMessageTemplateData: { y: 1 },
      notificationSourceData: { z: 1 },
      location: { id: 'here' },
    };
    const result = await calls.ok<Items>(
      'update',
      { notifications: [{ id, ...changed, metadata: { c: 3, apiKey: 'mine' } }] },
      { version },
    );
    expect(result).toEqual({
      status: 'success',
      message: 'Notification(s) updated successfully.',
      data: { [id]: { success: true, id, message: 'Notification updated.' } },
      failedCount: 0,
    });
    const { a: _a, ...metadata } = before?.metadata ?? {};
    const expected = { ...before, ...changed, metadata: { ...metadata, c: 3 } };
    expect(await calls.get()).toEqual([expected]);
    expect(await calls.ids({ userId: 'ann', locationId: 'here' })).toEqual([id]);
    const named = await api.database.sql<{ ext_id: string }>(
      `select u.ext_id from record_user r join app_user u on u.id = r.user_id join notification n on n.id = r.record_id and r.kind = 2
       where n.ext_id = $1`,
      [id],
    );
    expect(named).toEqual([{ ext_id: 'named' }]);
  });

  it('removes users that only the earlier texts named, and keeps users that other members name', async () => {
    const { calls, id } = await aNotification({
      notifyUsers: users('ann'),
      context: { who: { userId: 'stays' } },
      displayBodyMessageTemplateData: { who: { userId: 'goes' } },
    });
    await update(calls, [{ id, displayBodyMessageTemplateData: { who: { userId: 'comes' } } }]);
    const named = await api.database.sql<{ ext_id: string }>(
      `select u.ext_id from record_user r join app_user u on u.id = r.user_id join notification n on n.id = r.record_id and r.kind = 2
       where n.ext_id = $1 order by 1`,
      [id],
    );
    expect(named.map(({ ext_id }) => ext_id)).toEqual(['comes', 'stays']);
  });

  it('marks as read by the given users until the texts change, except with the flag that keeps earlier readers', async () => {
    const { calls, id, unread } = await aNotification();
    expect(await unread()).toEqual({ ann: true, ben: true });
    await update(calls, [{ id, readByUserIds: ['ann', 'stranger'] }]);
    expect(await unread()).toEqual({ ann: false, ben: true });
    await update(calls, [{ id, context: { other: true } }]);
    await update(calls, [{ id, displayBodyMessage: 'Hello.' }]);
    expect(await unread()).toEqual({ ann: false, ben: true });
    await update(calls, [{ id, displayBodyMessage: 'New.', persistReadForUsers: true }]);
    expect(await unread()).toEqual({ ann: false, ben: true });
    await update(calls, [{ id, displayBodyMessage: 'Newer.' }]);
    expect(await unread()).toEqual({ ann: true, ben: true });
    await update(calls, [{ id, displayBodyMessage: 'Newest.', readByUserIds: ['ben'] }]);
    expect(await unread()).toEqual({ ann: true, ben: false });
  });

  it('keeps readers when template data comes in another order, or with the defaults that get shows', async () => {
    const displayBodyMessageTemplateData = { one: 1, two: { three: 3, four: 4 } };
    const { calls, id, unread } = await aNotification({
      notifyUsers: users('ann', 'ben'),
      displayBodyMessageTemplateData,
    });
    await update(calls, [{ id, readByUserIds: ['ann', 'ben'] }]);
    const shown = {
      displayBodyMessageTemplateData: { two: { four: 4, three: 3 }, one: 1 },
      displayHeadlineMessageTemplateData: {},
    };
    expect(await calls.get()).toMatchObject([{ ...shown, displayBodyMessageTemplateData }]);
    await update(calls, [{ id, ...shown }]);
    expect(await unread()).toEqual({ ann: false, ben: false });
    await update(calls, [{ id, displayBodyMessageTemplateData: { one: 1 } }]);
    expect(await unread()).toEqual({ ann: true, ben: true });
  });

  it('replaces the recipients according to their preferences, and keeps read marks of recipients that stay', async () => {
    const { calls, id, unread } = await aNotification();
    const none = aUser();
    await calls.ok('config/set', { userIds: [none], config: { inbox: 'NONE' } });
    await update(calls, [{ id, readByUserIds: ['ann', 'ben'] }]);
    await update(calls, [
      { id, notifyUsers: [{ userId: 'ann' }, { userId: 'zoe', email: 'z@example.com' }, { userId: none }] },
    ]);
    expect(await calls.get()).toMatchObject([
      {
        notifyUsersByUserId: { ann: true, zoe: true },
        notifyUsers: { 'z@example.com': true },
        notifyUsersCount: 2,
      },
    ]);
    expect(await unread()).toEqual({ ann: false, ben: undefined });
    expect(await calls.get({ userId: 'zoe' })).toMatchObject([{ isUnread: true }]);
  });

  it('excludes users without access to the document where permissions are verified', async () => {
    const { calls, id } = await aNotification();
    const { organizationId, documentId } = calls;
    const member = aUser();
    await tenant.ok('/v2/users/add', { organizationId, documentId, users: users(member) });
    await tenant.ok('/v2/organizations/documents/access/update', {
      organizationId,
      documentIds: [documentId],
      accessType: 'restricted',
    });
    await update(calls, [{ id, notifyUsers: users(member, 'ann') }], { verifyUserPermissions: true });
    expect(await calls.get()).toMatchObject([
      { notifyUsersByUserId: { [member]: true }, notifyUsersCount: 1 },
    ]);
  });

  it('returns not-found for notifications outside the filters', async () => {
    const { calls, id } = await aNotification({
      notifyUsers: users('ann'),
      location: { locationId: 'here' },
    });
    const { documentId, organizationId } = calls;
    const other = freshId('document');
    await tenant.ok('/v2/organizations/documents/add', {
      organizationId,
      documents: [{ documentId: other }],
    });
    const inside = [
      { documentId },
      { locationId: 'here' },
      { userId: 'ann' },
      { documentId, locationId: 'here', userId: 'ann' },
    ];
    const outside = [
      { documentId: other },
      { locationId: 'there' },
      { userId: 'ben' },
      { userId: freshId('user') },
    ];
    for (const scope of inside) {
      expect((await update(calls, [{ id, context: { n: 1 } }], scope)).failedCount).toBe(0);
    }
    const before = await allRows(api.database);
    for (const scope of outside) {
      expect(await update(calls, [{ id, context: { n: 2 } }], scope)).toMatchObject({
        failedCount: 1,
        data: { [id]: { success: false, id, message: 'Failed to update notification.', code: 'not-found' } },
      });
    }
    expect((await update(calls, [{ id: 'none' }])).data).toMatchObject({ none: { code: 'not-found' } });
    expect(await allRows(api.database)).toEqual(before);
  });

  it('loses no update under concurrent calls', async () => {
    const { calls, id } = await aNotification();
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        update(calls, [{ id, context: { n }, notifyUsers: users('ann', `p${String(n)}`) }]),
      ),
    );
    expect(results.map(({ failedCount }) => failedCount)).toEqual(results.map(() => 0));
    const [read] = await calls.get();
    const { n } = (read?.['context'] ?? {}) as { n?: number };
    expect(read?.notifyUsersByUserId).toEqual({ ann: true, [`p${String(n)}`]: true });
    const left = await api.database.sql(
      `select 1 from notification_recipient r join document d on d.id = r.document_id where d.ext_id = $1`,
      [calls.documentId],
    );
    expect(left).toHaveLength(2);
  });

  it('uses as many statements for 100 notifications as for one', async () => {
    const calls = await inADocument(tenant);
    const ids: string[] = [];
    for (let n = 0; n < 100; n += 1)
      ids.push((await calls.add({ notifyUsers: users('ann') })).notificationId);
    const changes = ids.map((id) => ({
      id,
      notifyUsers: users('ann', 'ben'),
      readByUserIds: ['ann'],
      location: { id: 'x' },
    }));
    const count = async (some: readonly object[]) => (await statementsOf(() => update(calls, some))).length;
    expect(await count(changes)).toBe(await count(changes.slice(0, 1)));
    expect((await calls.get({ userId: 'ben', locationId: 'x' })).length).toBe(100);
  });
});

describe('an update is refused, and nothing is written,', () => {
  const cases: readonly [string, object, Record<string, string>][] = [
    ['without notifications', {}, { 'data.notifications': 'notifications is required.' }],
    [
      'with none',
      { notifications: [] },
      { 'data.notifications': 'notifications must hold 1 to 1000 items, not 0.' },
    ],
    [
      'without ids',
      { notifications: [{ displayBodyMessage: 'x' }] },
      { 'data.notifications[0].id': 'notifications[0].id is required.' },
    ],
    [
      'with wrong types',
      { notifications: [{ id: 'n', displayBodyMessage: 1, readByUserIds: [], notifyUsers: [{}] }] },
      {
        'data.notifications[0].displayBodyMessage': 'notifications[0].displayBodyMessage must be a string.',
        'data.notifications[0].notifyUsers[0].userId': 'notifications[0].notifyUsers[0].userId is required.',
        'data.notifications[0].readByUserIds':
          'notifications[0].readByUserIds must hold 1 to 1000 items, not 0.',
      },
    ],
    [
      'with a member that cannot be changed',
      { notifications: [{ id: 'n', timestamp: 1 }] },
      { 'data.notifications[0].timestamp': 'Unknown member: notifications[0].timestamp.' },
    ],
    [
      'with more than 1,000 people',
      {
        notifications: [
          {
            id: 'n',
            readByUserIds: Array.from({ length: 1_000 }, (_, n) => String(n)),
            notifyUsers: users('x'),
          },
        ],
      },
      { 'data.notifications': 'notifications must name at most 1000 different users, not 1001.' },
    ],
  ];

  it.each(cases)('%s', async (_title, members, issues) => {
    const { calls } = await aNotification();
    const before = await allRows(api.database);
    const refusal = await calls.refused('update', members);
    expect([refusal.http, refusal.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(issuesOf(refusal)).toEqual(issues);
    expect(await allRows(api.database)).toEqual(before);
  });

  it('of a notification that would become too large, or has too many recipients to move it to another location', async () => {
    const { calls, id } = await aNotification();
    const half = { x: 'x'.repeat(140_000) };
    expect((await update(calls, [{ id, context: half }])).failedCount).toBe(0);
    await api.database.sql('update notification set recipient_count = 10001 where ext_id = $1', [id]);
    const before = await allRows(api.database);
    expect((await update(calls, [{ id, notificationSourceData: half }])).data).toMatchObject({
      [id]: { code: 'invalid-argument', message: 'Failed to update notification.' },
    });
    expect((await update(calls, [{ id, location: { id: 'elsewhere' } }])).data).toMatchObject({
      [id]: { code: 'failed-precondition', message: 'Failed to update notification.' },
    });
    expect(await allRows(api.database)).toEqual(before);
  });

  it('of notifications beyond 10,000 recipients to move in one call, and of no others', async () => {
    const calls = await inADocument(tenant);
    const ids: string[] = [];
    for (const recipients of [6_000, 6_000, 4_000, 10_001]) {
      const { notificationId: id } = await calls.add({ notifyUsers: users('ann') });
      await api.database.sql('update notification set recipient_count = $2 where ext_id = $1', [
        id,
        recipients,
      ]);
      ids.push(id);
    }
    const codes = async (changes: readonly object[]) => {
      const { data } = await update(calls, changes);
      return ids.map((id) => data[id]?.code);
    };
    const moved = (location: string) => ids.map((id) => ({ id, location: { id: location } }));
    const refused = 'failed-precondition';
    expect(await codes(moved('there'))).toEqual([undefined, refused, undefined, refused]);
    expect(await calls.ids({ userId: 'ann', locationId: 'there' })).toEqual([ids[2], ids[0]]);
    expect(await codes([{ id: ids[1], location: { id: 'there' } }])).toEqual(ids.map(() => undefined));
    const replaced = [{ id: ids[3], location: { id: 'there' }, notifyUsers: users('ben') }];
    expect(await codes(replaced)).toEqual(ids.map(() => undefined));
  });

  it('of an unknown organization or document', async () => {
    const { calls, id } = await aNotification();
    const notifications = [{ id, displayBodyMessage: 'x' }];
    const document = await calls.refused('update', { notifications, documentId: 'none' });
    expect([document.http, document.message]).toEqual([404, 'Document does not exist']);
    const organization = await tenant.refused('/v2/notifications/update', {
      organizationId: 'none',
      notifications,
    });
    expect([organization.http, organization.message]).toEqual([404, 'Organization does not exist']);
  });
});
