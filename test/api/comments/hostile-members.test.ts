import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { aDocument, aTenant, freshId, type TestDocument, type TestTenant } from '../../support/factories.ts';
import { withListeners } from '../../support/webhooks.ts';
import { begunDeletion, carriedOut } from '../../domain/deletion/carry-out.ts';

const api = await startTestApi();
afterAll(api.close);

interface Scene {
  readonly tenant: TestTenant;
  readonly location: TestDocument;
}

async function aScene(): Promise<Scene> {
  const tenant = await withListeners(await aTenant(api), api);
  return { tenant, location: await aDocument(tenant) };
}

const from = { userId: 'ada' };
const triggers = { triggerNotification: true, triggerActivities: true };
const tagging = { from, taggedUserContacts: [{ userId: 'ben' }], commentText: 'Look', ...triggers };

const addAnnotation = async ({ tenant, location }: Scene, annotation: object): Promise<string> => {
  const annotationId = freshId('annotation');
  const { data } = await tenant.ok<Record<string, { success: boolean }>>('/v2/commentannotations/add', {
    ...location,
    commentAnnotations: [{ annotationId, ...annotation }],
  });
  expect(data[annotationId]).toMatchObject({ success: true });
  return annotationId;
};

const notificationsOf = async ({ tenant, location }: Scene) =>
  (await tenant.ok<{ location?: object }[]>('/v2/notifications/get', location)).data;

const bareUsers = async ({ tenant }: Scene): Promise<string[]> =>
  (
    await api.database.sql<{ ext_id: string }>(
      'select ext_id from app_user where api_key_id = $1 order by ext_id',
      [tenant.id],
    )
  ).map(({ ext_id }) => ext_id);

describe('free members of annotations and comments', () => {
  it.each(['', 'x'.repeat(1_001), 'elsewhere', 7])(
    'file no notification under a location of their own: locationId %p',
    async (locationId) => {
      const scene = await aScene();
      await addAnnotation(scene, { location: { id: 'page', locationId }, commentData: [tagging] });
      const [notification] = await notificationsOf(scene);
      expect(notification?.location).toEqual({ id: 'page' });
    },
  );

  it('name no users in lists that only look like those of Steward', async () => {
    const scene = await aScene();
    const lists = { userIds: ['', 'x'.repeat(1_001), 'a\u0001', 'listed'], resolvedByUserId: '' };
    await addAnnotation(scene, { context: lists, commentData: [{ ...tagging, context: lists }] });
    const logged = { featureType: 'comment', actionType: 'comment.add', actionUser: from, entityData: lists };
    await scene.tenant.ok('/v2/activities/add', { ...scene.location, activities: [logged] });
    expect(await bareUsers(scene)).toEqual(['ada', 'ben', 'listed']);
  });

  it('name users also in an annotation that is cut to its limit', async () => {
    const scene = await aScene();
    await addAnnotation(scene, {
      location: { id: 'page', owner: { userId: 'ghost' } },
      status: { id: 'S', name: 'S', type: 'default', svg: 'x'.repeat(17_000) },
      commentData: [tagging],
    });
    expect(await bareUsers(scene)).toEqual(['ada', 'ben', 'ghost']);
    expect(await notificationsOf(scene)).toHaveLength(1);
  });

  it.each(['name', 'email', 'photoUrl', 'reason', 'userId'])(
    'keep their types when a key is replaced by a user with the id %s',
    async (userId) => {
      const { tenant, location } = await aScene();
      const agent = { agentSource: 's', agentId: 'x', k1: 'text' };
      const commentData = [{ from: { userId: 'a', k1: 5 }, agent }];
      await addAnnotation({ tenant, location }, { commentData });
      const updateUsers = [{ oldUser: { userId: 'k1' }, newUser: { userId } }];
      for (let repeated = 0; repeated < 2; repeated += 1)
        await tenant.ok('/v2/commentannotations/update', { ...location, updateUsers });
      const { data } = await tenant.ok<{ comments: object[] }[]>('/v2/commentannotations/get', location);
      const replaced = userId === 'reason' ? 'reason' : 'k1';
      expect(data[0]?.comments).toMatchObject([{ from: { userId: 'a', [replaced]: 5 }, agent }]);
    },
  );

  it('leave an annotation at its location, and other members in their place, when a user in them is deleted', async () => {
    const scene = await aScene();
    const { tenant, location } = scene;
    const handover = { from: { userId: 'bob' }, to: { userId: 'ada' }, note: 'Q3' };
    const annotationId = await addAnnotation(scene, {
      location: { id: 'page', userId: 'bob' },
      context: { handover },
      commentData: [{ from, ...triggers }],
    });
    expect(await carriedOut(api, await begunDeletion(api, tenant, { userIds: ['bob'] }))).toEqual([]);
    await tenant.ok('/v2/commentannotations/update', {
      ...location,
      annotationIds: [annotationId],
      updatedData: { status: { id: 'S', name: 'S', type: 'default' } },
    });
    const found = await tenant.ok<object[]>('/v2/commentannotations/get', {
      ...location,
      locationIds: ['page'],
    });
    expect(found.data).toMatchObject([{ location: { id: 'page' }, context: { handover: { note: 'Q3' } } }]);
    const logs = await api.database.sql<{ body: unknown }>(
      `select body from activity where api_key_id = $1`,
      [tenant.id],
    );
    expect(JSON.stringify(logs)).not.toContain('bob');
    expect(JSON.stringify(logs)).toContain('Q3');
  });

  it('leave no deleted user in the text of a notification about a later change', async () => {
    const scene = await aScene();
    const { tenant, location } = scene;
    const bob = { userId: 'bob', name: 'Bob Miller' };
    const commentData = [
      {
        commentId: 1,
        from,
        commentText: 'Hi {{bob}}',
        taggedUserContacts: [{ userId: 'bob', contact: bob }],
      },
    ];
    const annotationId = await addAnnotation(scene, { commentData });
    await tenant.ok('/v2/workspace/notificationconfig/update', {
      notificationServiceConfig: {
        triggers: { comment: { 'comment.update': true, 'comment.reaction_add': true } },
      },
    });
    await tenant.ok('/v2/users/add', { ...location, users: [{ userId: 'cid' }, from] });
    await tenant.ok('/v2/commentannotations/comments/update', {
      ...location,
      annotationId,
      commentIds: [1],
      updatedData: { commentText: 'Hello {{bob}}' },
      triggerNotification: true,
    });
    await tenant.ok('/v2/commentannotations/comments/reactions/add', {
      ...location,
      annotationId,
      commentId: 1,
      icon: 'seen',
      from: { userId: 'cid' },
      triggerNotification: true,
    });
    const texts = async () =>
      JSON.stringify(
        await api.database.sql('select body from notification where api_key_id = $1', [tenant.id]),
      );
    expect(await texts()).toContain('Bob Miller');
    expect(await carriedOut(api, await begunDeletion(api, tenant, { userIds: ['bob'] }))).toEqual([]);
    expect(await texts()).not.toContain('Bob Miller');
  });

  it('leave no deleted user in the changes of an activity log', async () => {
    const scene = await aScene();
    const { tenant, location } = scene;
    const assignedTo = { userId: 'cid', manager: { userId: 'boss' } };
    const annotationId = await addAnnotation(scene, { assignedTo, commentData: [{ from }] });
    await tenant.ok('/v2/commentannotations/update', {
      ...location,
      annotationIds: [annotationId],
      updatedData: { assignedTo: null },
      actionUser: from,
      ...triggers,
    });
    const logs = async () =>
      JSON.stringify(await api.database.sql('select body from activity where api_key_id = $1', [tenant.id]));
    expect(await logs()).toContain('boss');
    expect(await carriedOut(api, await begunDeletion(api, tenant, { userIds: ['boss'] }))).toEqual([]);
    expect(await logs()).not.toContain('boss');
  });
});
