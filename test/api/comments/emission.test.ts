import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aDocument, aTenant, freshId, type TestDocument, type TestTenant } from '../../support/factories.ts';
import { withListeners } from '../../support/webhooks.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const user = (userId: string) => ({ userId, name: `Name of ${userId}` });

interface Scene {
  readonly tenant: TestTenant;
  readonly location: TestDocument;
  readonly annotationId: string;
}

/** A document with members, and a thread of ada's in it. */
async function aScene(members: readonly string[] = [], annotation: object = {}): Promise<Scene> {
  const tenant = await withListeners(await aTenant(api), api);
  await tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });
  const location = await aDocument(tenant);
  if (members.length > 0) await tenant.ok('/v2/users/add', { ...location, users: members.map(user) });
  const annotationId = freshId('annotation');
  const commentData = [{ from: user('ada'), commentText: 'First' }];
  await tenant.ok('/v2/commentannotations/add', {
    ...location,
    commentAnnotations: [{ annotationId, location: { id: 7, page: 3 }, commentData, ...annotation }],
  });
  return { tenant, location, annotationId };
}

const both = { triggerNotification: true, triggerActivities: true };

const addTo = async ({ tenant, location, annotationId }: Scene, comment: object) =>
  tenant.ok<number[]>('/v2/commentannotations/comments/add', {
    ...location,
    annotationId,
    commentData: [{ from: user('ben'), commentText: 'Second', ...comment }],
  });

const eventsOf = async ({ tenant }: Scene) =>
  api.database.sql<{ type: string; payload: Record<string, unknown>; users: string[] }>(
    `select e.type, e.payload, array(
       select u.ext_id from event_user x join app_user u on u.id = x.user_id where x.event_id = e.id order by 1) as users
     from event e where e.api_key_id = $1 order by e.id`,
    [tenant.id],
  );

const nothing: Awaited<ReturnType<typeof eventsOf>>[number] = { type: '', payload: {}, users: [] };

const notificationsOf = async ({ tenant, location }: Scene) =>
  (await tenant.ok<Record<string, unknown>[]>('/v2/notifications/get', location)).data;

const recipientsOf = async (scene: Scene): Promise<string[]> =>
  (await notificationsOf(scene))
    .flatMap(({ notifyUsersByUserId }) => Object.keys(notifyUsersByUserId ?? {}))
    .sort();

const activitiesOf = async ({ tenant, location }: Scene) =>
  (await tenant.ok<Record<string, unknown>[]>('/v2/activities/get', location)).data;

describe('a comment that triggers', () => {
  it('creates one event, an activity log and a notification', async () => {
    const scene = await aScene(['cid']);
    const tagged = [{ userId: 'dan', contact: user('dan') }];
    await addTo(scene, { ...both, commentText: 'Ask {{dan}} or {{eve}}', taggedUserContacts: tagged });
    const events = await eventsOf(scene);
    expect(events.map(({ type }) => type)).toEqual(['comment.add', 'notification.add']);
    const [{ payload, users } = nothing] = events;
    expect(payload).toEqual({
      actionUser: user('ben'),
      commentAnnotation: expect.objectContaining({
        annotationId: scene.annotationId,
        from: user('ada'),
        commentsCount: 2,
        involvedUserIds: ['ada', 'ben', 'dan'],
        metadata: scene.location,
      }),
      commentAnnotationId: scene.annotationId,
      targetComment: expect.objectContaining({ commentId: 2, commentText: 'Ask {{dan}} or {{eve}}' }),
      metadata: scene.location,
      timestamp: expect.any(Number),
    });
    expect(payload['commentAnnotation']).not.toHaveProperty('comments');
    expect(JSON.stringify(payload)).not.toContain(scene.tenant.apiKey);
    expect(users).toEqual(['ada', 'ben', 'dan']);
    expect(await activitiesOf(scene)).toMatchObject([
      {
        id: expect.stringMatching(/^act_/),
        featureType: 'comment',
        actionType: 'comment.add',
        actionUser: user('ben'),
        targetEntityId: scene.annotationId,
        targetSubEntityId: '2',
        entityTargetData: { commentId: 2 },
      },
    ]);
    expect(await notificationsOf(scene)).toMatchObject([
      {
        id: expect.stringMatching(/^ntf_/),
        notificationSource: 'comment',
        displayHeadlineMessageTemplate: '{actionUser} commented',
        displayHeadlineMessageTemplateData: { actionUser: user('ben') },
        displayBodyMessage: 'Ask Name of dan or {{eve}}',
        notificationSourceData: { annotationId: scene.annotationId, commentId: 2, actionType: 'comment.add' },
        location: { id: '7', page: 3 },
        notifyUsersByUserId: { ada: true, cid: true, dan: true },
      },
    ]);
  });

  it('records no event without a flag, and only what each flag requests', async () => {
    const scene = await aScene(['cid']);
    await addTo(scene, {});
    expect(await eventsOf(scene)).toEqual([]);
    await addTo(scene, { triggerActivities: true });
    expect((await eventsOf(scene)).map(({ type }) => type)).toEqual(['comment.add']);
    expect(await notificationsOf(scene)).toEqual([]);
    await addTo(scene, { triggerNotification: true });
    expect(await activitiesOf(scene)).toHaveLength(1);
    expect(await notificationsOf(scene)).toHaveLength(1);
  });

  it('emits nothing when the call is repeated', async () => {
    const scene = await aScene(['cid']);
    await addTo(scene, { ...both, commentId: 4 });
    const events = await eventsOf(scene);
    await addTo(scene, { ...both, commentId: 4 });
    expect(await eventsOf(scene)).toEqual(events);
  });

  it('writes no record when its trigger is off', async () => {
    const scene = await aScene(['cid']);
    await scene.tenant.ok('/v2/workspace/activityconfig/update', {
      activityServiceConfig: { triggers: { 'comment.add': false } },
    });
    await scene.tenant.ok('/v2/workspace/notificationconfig/update', {
      notificationServiceConfig: { triggers: { comment: { 'comment.add': false } } },
    });
    await addTo(scene, both);
    expect([await activitiesOf(scene), await notificationsOf(scene)]).toEqual([[], []]);
    expect((await eventsOf(scene)).map(({ type }) => type)).toEqual(['comment.add']);
  });

  it('notifies neither its author nor users without access, and follows preferences', async () => {
    const scene = await aScene(['cid', 'dan', 'eve', 'ben']);
    const { tenant, location } = scene;
    await tenant.ok('/v2/organizations/documents/access/update', {
      organizationId: location.organizationId,
      documentIds: [location.documentId],
      accessType: 'restricted',
    });
    const set = async (userId: string, inbox: string) =>
      tenant.ok('/v2/notifications/config/set', {
        organizationId: location.organizationId,
        documentIds: [location.documentId],
        userIds: [userId],
        config: { inbox },
      });
    await set('cid', 'NONE');
    await set('dan', 'MINE');
    // ada has no membership of the restricted document.
    await addTo(scene, both);
    expect(await recipientsOf(scene)).toEqual(['eve']);
    await addTo(scene, { ...both, taggedUserContacts: [{ userId: 'dan' }, { userId: 'zoe' }] });
    expect(await recipientsOf(scene)).toEqual(['dan', 'eve', 'eve']);
  });

  it('adds no notification without a recipient', async () => {
    const scene = await aScene();
    await addTo(scene, { ...both, from: user('ada') });
    expect(await notificationsOf(scene)).toEqual([]);
    expect((await eventsOf(scene)).map(({ type }) => type)).toEqual(['comment.add']);
  });

  it('notifies only the creator and the users that may see a restricted annotation', async () => {
    const scene = await aScene(['cid', 'dan'], { visibility: { type: 'restricted', userIds: ['dan'] } });
    await addTo(scene, both);
    expect(await recipientsOf(scene)).toEqual(['ada', 'dan']);
    const [{ payload } = nothing] = await eventsOf(scene);
    expect(payload).toMatchObject({ visibility: { type: 'restricted', userIds: ['dan'] } });
  });

  it('notifies only members of the organization of a private annotation', async () => {
    const scene = await aScene(['cid', 'dan'], { visibility: { type: 'organizationPrivate' } });
    const { organizationId } = scene.location;
    await scene.tenant.ok('/v2/users/add', { organizationId, users: [user('cid')] });
    await addTo(scene, both);
    expect(await recipientsOf(scene)).toEqual(['ada', 'cid']);
  });

  it('omits the large members of an annotation beyond 16 KiB, and sets truncated', async () => {
    const scene = await aScene([], { targetElement: { text: 'x'.repeat(20_000) } });
    await addTo(scene, both);
    const [{ payload } = nothing] = await eventsOf(scene);
    expect(payload).toMatchObject({ truncated: true });
    expect(payload['commentAnnotation']).not.toHaveProperty('targetElement');
  });

  it('emits only ids, names and statuses of an annotation that is still larger, and only the type of its visibility', async () => {
    const userIds = Array.from({ length: 30 }, (_, n) => `u${String(n)}`.padEnd(1_000, 'x'));
    const scene = await aScene([], { visibility: { type: 'restricted', userIds: ['ada', ...userIds] } });
    await addTo(scene, { ...both, from: user('ada') });
    const [{ payload, users } = nothing] = await eventsOf(scene);
    const { annotationId } = scene;
    expect(payload).toMatchObject({
      truncated: true,
      visibility: { type: 'restricted' },
      commentAnnotation: { annotationId, from: { userId: 'ada' }, visibilityConfig: { type: 'restricted' } },
    });
    expect(JSON.stringify(payload)).not.toContain(userIds[0]);
    expect(users).toEqual(['ada']);
  });

  it('notifies members beyond 1,000 by a job', async () => {
    const scene = await aScene(Array.from({ length: 999 }, (_, n) => `m${String(n)}`));
    const users = Array.from({ length: 5 }, (_, n) => user(`late${String(n)}`));
    await scene.tenant.ok('/v2/users/add', { ...scene.location, users });
    const result = await addTo(scene, both);
    expect(result.jobId).toMatch(/^job_/);
    const [{ count } = { count: 0 }] = await api.database.sql<{ count: number }>(
      'select count(*)::int as count from notification_recipient where api_key_id = $1',
      [scene.tenant.id],
    );
    expect(count).toBeGreaterThanOrEqual(1_000);
  });
});

describe('an update of more than 16 MiB', () => {
  it('notifies the users that each annotation involves, and the other members by one job', async () => {
    const { tenant, location } = await aScene(['ben', 'cleo']);
    const commentData = [{ from: user('ada'), commentText: 'First' }];
    const actions = [{ id: 'go', metadata: { text: 'x'.repeat(250_000) } }];
    for (let call = 0; call < 3; call += 1)
      await tenant.ok('/v2/commentannotations/add', {
        ...location,
        commentAnnotations: Array.from({ length: 25 }, () => ({ commentData, actions })),
      });
    const updated = await tenant.ok('/v2/commentannotations/update', {
      ...location,
      updatedData: { status: { id: 'DONE', name: 'Done', type: 'terminal' } },
      actionUser: user('ben'),
      triggerNotification: true,
    });
    const jobs = await api.database.sql<{ id: string; notifications: number }>(
      `select public_id as id, json_array_length((request -> 'notify' -> 'notifications')::json) as notifications
       from job where api_key_id = $1 and request -> 'notify' is not null`,
      [tenant.id],
    );
    expect(jobs).toEqual([{ id: updated.jobId, notifications: 76 }]);
    const recipients = await api.database.sql<{ user: string; count: number }>(
      `select u.ext_id as user, count(*)::int as count from notification_recipient r join app_user u on u.id = r.user_id
       where r.api_key_id = $1 group by 1`,
      [tenant.id],
    );
    expect(recipients).toEqual([{ user: 'ada', count: 76 }]);
  });
});

describe('an added annotation', () => {
  it('emits its addition by the flags of its first comment, and each further comment by its own flags', async () => {
    const scene = await aScene(['cid']);
    const { tenant, location } = scene;
    const item = {
      annotationId: freshId('annotation'),
      commentData: [
        { from: user('ben'), commentText: 'One', ...both },
        { from: user('cid'), commentText: 'Two', triggerActivities: true },
        { from: user('cid'), commentText: 'Three' },
      ],
    };
    for (const _ of [1, 2])
      await tenant.ok('/v2/commentannotations/add', { ...location, commentAnnotations: [item] });
    const types = (await eventsOf(scene)).map(({ type }) => type);
    expect(types).toEqual(['comment_annotation.add', 'comment.add', 'notification.add']);
    const logged = (await activitiesOf(scene)).map(({ actionType }) => actionType);
    expect(logged).toHaveLength(2);
    expect(new Set(logged)).toEqual(new Set(['comment.add', 'comment_annotation.add']));
    expect(await recipientsOf(scene)).toEqual(['cid']);
  });
});

describe('a reaction', () => {
  const react = async (
    verb: 'add' | 'delete',
    { tenant, location, annotationId }: Scene,
    more: object = {},
  ) =>
    tenant.ok(`/v2/commentannotations/comments/reactions/${verb}`, {
      ...location,
      annotationId,
      commentId: 1,
      icon: '👍',
      from: user('ben'),
      ...both,
      ...more,
    });

  /** The triggers that are off after the first enable. */
  const triggering = async (scene: Scene): Promise<Scene> => {
    const comment = { 'comment.reaction_add': true, 'comment.reaction_delete': true };
    await scene.tenant.ok('/v2/workspace/notificationconfig/update', {
      notificationServiceConfig: { triggers: { comment } },
    });
    return scene;
  };

  it('creates one event and an activity log, and notifies the author of the comment as a named user', async () => {
    const scene = await triggering(await aScene(['cid', 'ada']));
    const { tenant, location } = scene;
    const config = {
      ...location,
      documentIds: [location.documentId],
      userIds: ['ada'],
      config: { inbox: 'MINE' },
    };
    const { documentId: _, ...sent } = config;
    await tenant.ok('/v2/notifications/config/set', sent);
    await react('add', scene);
    await react('add', scene);
    const events = await eventsOf(scene);
    expect(events.map(({ type }) => type)).toEqual(['comment.reaction_add', 'notification.add']);
    const [{ payload, users } = nothing] = events;
    expect(payload).toEqual({
      actionUser: user('ben'),
      commentAnnotation: expect.objectContaining({ annotationId: scene.annotationId, commentsCount: 1 }),
      commentAnnotationId: scene.annotationId,
      targetComment: expect.objectContaining({ commentId: 1, commentText: 'First' }),
      reaction: { icon: '👍' },
      metadata: scene.location,
      timestamp: expect.any(Number),
    });
    expect(users).toEqual(['ada', 'ben']);
    expect(await activitiesOf(scene)).toMatchObject([
      { featureType: 'comment', actionType: 'comment.reaction_add', targetSubEntityId: '1' },
    ]);
    expect(await notificationsOf(scene)).toMatchObject([
      {
        displayHeadlineMessageTemplate: '{actionUser} reacted with {icon}',
        displayHeadlineMessageTemplateData: { actionUser: user('ben'), icon: '👍' },
        displayBodyMessage: 'First',
        notificationSourceData: { commentId: 1, actionType: 'comment.reaction_add' },
        notifyUsersByUserId: { ada: true },
      },
    ]);
    expect(await recipientsOf(scene)).toEqual(['ada']);
  });

  it('that is deleted records one event and an activity log, and notifies no user', async () => {
    const scene = await triggering(await aScene(['cid']));
    await react('add', scene, { triggerNotification: false, triggerActivities: false });
    await react('delete', scene);
    const events = await eventsOf(scene);
    expect(events.map(({ type, payload }) => [type, payload['reaction']])).toEqual([
      ['comment.reaction_delete', { icon: '👍' }],
    ]);
    expect((await activitiesOf(scene)).map(({ actionType }) => actionType)).toEqual([
      'comment.reaction_delete',
    ]);
    expect(await notificationsOf(scene)).toEqual([]);
  });

  it('to a comment of one’s own notifies no user', async () => {
    const scene = await triggering(await aScene());
    await react('add', scene, { from: user('ada') });
    expect((await eventsOf(scene)).map(({ type }) => type)).toEqual(['comment.reaction_add']);
  });
});
