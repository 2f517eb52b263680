import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aDocument, aTenant, freshId } from '../../support/factories.ts';
import { withListeners } from '../../support/webhooks.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const ada = { userId: 'ada', name: 'Ada' };
const ben = { userId: 'ben', name: 'Ben' };

/** A document with members, and an annotation of ada's in it. */
async function aScene(members: readonly object[]) {
  const tenant = await withListeners(await aTenant(api), api);
  const location = await aDocument(tenant);
  await tenant.ok('/v2/users/add', { ...location, users: members });
  const annotationId = freshId('annotation');
  const commentData = [{ from: ada, commentId: 1, commentText: 'First' }];
  await tenant.ok('/v2/commentannotations/add', {
    ...location,
    commentAnnotations: [{ annotationId, commentData }],
  });
  const notifications = async () =>
    (await tenant.ok<{ notifyUsersCount: number }[]>('/v2/notifications/get', location)).data;
  const announced = async () =>
    api.database.sql<{ count: number; shown: number }>(
      `select (payload ->> 'notifyUsersCount')::int as count,
         (select count(*)::int from json_object_keys(payload::json -> 'notifyUsersByUserId')) as shown
       from event where api_key_id = $1 and type = 'notification.add'`,
      [tenant.id],
    );
  return { tenant, location, annotationId, notifications, announced };
}

describe('a notification of a comment', () => {
  it('is not stored when settings keep e-mail from the only user, who has no inbox', async () => {
    const { tenant, location, annotationId, notifications, announced } = await aScene([ada]);
    const triggers = { comment: { 'comment.reaction_add': true } };
    await tenant.ok('/v2/workspace/notificationconfig/update', { notificationServiceConfig: { triggers } });
    // Its triggers, which are on by default, do not include reactions.
    await tenant.ok('/v2/workspace/emailconfig/update', { useEmailService: true });
    await tenant.ok('/v2/notifications/config/set', {
      organizationId: location.organizationId,
      documentIds: [location.documentId],
      userIds: ['ada'],
      config: { inbox: 'NONE' },
    });
    await tenant.ok('/v2/commentannotations/comments/reactions/add', {
      ...location,
      annotationId,
      commentId: 1,
      icon: 'up',
      from: ben,
      triggerNotification: true,
    });
    expect(await notifications()).toEqual([]);
    expect(await announced()).toEqual([]);
    expect(
      await api.database.sql(
        'select from named_recipient r join notification n on n.id = r.notification_id where n.api_key_id = $1',
        [tenant.id],
      ),
    ).toEqual([]);
  });

  it('announces the number of all recipients beside the first 1,000 of them', async () => {
    const members = Array.from({ length: 1_000 }, (_, n) => ({ userId: `member-${String(n)}` }));
    const { tenant, location, annotationId, notifications, announced } = await aScene(members);
    await tenant.ok('/v2/commentannotations/comments/add', {
      ...location,
      annotationId,
      commentData: [{ from: ben, commentText: 'Second', triggerNotification: true }],
    });
    expect(await notifications()).toMatchObject([{ notifyUsersCount: 1_001 }]);
    expect(await announced()).toEqual([{ count: 1_001, shown: 1_000 }]);
  });
});
