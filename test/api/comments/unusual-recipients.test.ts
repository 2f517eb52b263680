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
  /** What the customer's own sender learns: null without the member. */
  const emailRecipients = async () =>
    (
      await api.database.sql<{ recipients: readonly object[] | null }>(
        `select payload::json -> 'emailRecipients' as recipients
         from event where api_key_id = $1 and type = 'notification.add' order by id`,
        [tenant.id],
      )
    ).map(({ recipients }) => recipients);
  const reacted = async (icon: string) =>
    tenant.ok('/v2/commentannotations/comments/reactions/add', {
      ...location,
      annotationId,
      commentId: 1,
      icon,
      from: ben,
      triggerNotification: true,
    });
  const setConfig = async (userIds: readonly string[], config: object) =>
    tenant.ok('/v2/notifications/config/set', {
      organizationId: location.organizationId,
      documentIds: [location.documentId],
      userIds,
      config,
    });
  return {
    tenant,
    location,
    annotationId,
    notifications,
    announced,
    emailRecipients,
    reacted,
    setConfig,
  };
}

describe('a notification of a comment', () => {
  it('is not stored when settings keep e-mail from the only user, who has no inbox', async () => {
    const { tenant, notifications, announced, reacted, setConfig } = await aScene([ada]);
    const triggers = { comment: { 'comment.reaction_add': true } };
    await tenant.ok('/v2/workspace/notificationconfig/update', { notificationServiceConfig: { triggers } });
    // Its triggers, which are on by default, do not include reactions.
    await tenant.ok('/v2/workspace/emailconfig/update', { useEmailService: true });
    await setConfig(['ada'], { inbox: 'NONE' });
    await reacted('up');
    expect(await notifications()).toEqual([]);
    expect(await announced()).toEqual([]);
    expect(
      await api.database.sql(
        'select from named_recipient r join notification n on n.id = r.notification_id where n.api_key_id = $1',
        [tenant.id],
      ),
    ).toEqual([]);
  });

  it('announces the first 1,000 recipients and the number of all', async () => {
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

  const custom = { useEmailService: true, emailServiceConfig: { type: 'custom' } };

  it('names the users that the customer’s own sender should e-mail, also those without an inbox', async () => {
    const others = ['dan', 'eve', 'zoe'].map((userId) => ({ userId }));
    const members = [ada, { userId: 'cid', email: 'cid@record.test' }, ...others];
    const { tenant, location, annotationId, announced, emailRecipients, setConfig } = await aScene(members);
    await tenant.ok('/v2/workspace/emailconfig/update', custom);
    await setConfig(['cid', 'zoe'], { inbox: 'NONE' });
    await setConfig(['dan'], { inbox: 'NONE', email: 'ALL' });
    await setConfig(['ada'], { email: 'NONE' });
    const tagged = ['cid', 'zoe'].map((userId) => ({
      userId,
      contact: { userId, email: `${userId}@sent.test` },
    }));
    const commentData = [
      { from: ben, commentText: 'Look', taggedUserContacts: tagged, triggerNotification: true },
    ];
    await tenant.ok('/v2/commentannotations/comments/add', { ...location, annotationId, commentData });
    // Ada has it in the inbox alone, and so has eve, a member who gets e-mail only when named.
    expect(await announced()).toEqual([{ count: 2, shown: 2 }]);
    const [recipients = []] = await emailRecipients();
    expect(recipients?.slice(0, 2)).toEqual(
      expect.arrayContaining([
        { userId: 'cid', email: 'cid@record.test' },
        { userId: 'zoe', email: 'zoe@sent.test' },
      ]),
    );
    expect(recipients?.slice(2)).toEqual([{ userId: 'dan', email: '' }]);
  });

  it('has no emailRecipients when Steward sends, and is not stored when the trigger is off for the only user', async () => {
    const { tenant, location, annotationId, notifications, emailRecipients, reacted, setConfig } =
      await aScene([ada]);
    const commentData = [{ from: ben, commentText: 'Second', triggerNotification: true }];
    await tenant.ok('/v2/workspace/emailconfig/update', { useEmailService: true });
    await tenant.ok('/v2/commentannotations/comments/add', { ...location, annotationId, commentData });
    expect(await emailRecipients()).toEqual([null]);
    const triggers = { comment: { 'comment.reaction_add': true } };
    await tenant.ok('/v2/workspace/notificationconfig/update', { notificationServiceConfig: { triggers } });
    await tenant.ok('/v2/workspace/emailconfig/update', custom);
    await setConfig(['ada'], { inbox: 'NONE' });
    await reacted('up');
    expect(await notifications()).toHaveLength(1);
    await tenant.ok('/v2/workspace/emailconfig/update', { emailServiceConfig: { triggers } });
    await reacted('down');
    expect(await notifications()).toHaveLength(2);
    expect(await emailRecipients()).toEqual([null, [{ userId: 'ada', email: '' }]]);
  });
});
