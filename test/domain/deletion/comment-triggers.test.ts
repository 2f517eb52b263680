import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aDocument, aTenant, type TestDocument, type TestTenant } from '../../support/factories.ts';
import { rowsOf } from '../../support/rows.ts';
import { withListeners } from '../../support/webhooks.ts';
import { begunDeletion, carriedOut } from './carry-out.ts';
import { aPerson } from './furnish.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const ada = aPerson('ADA-the-person');
const grace = aPerson('GRACE-who-stays');
const linus = aPerson('LINUS-who-stays');
const words = 'WORDS-OF-THE-PERSON';
const triggers = { triggerNotification: true, triggerActivities: true };

interface Scene {
  readonly tenant: TestTenant;
  readonly location: TestDocument;
}

/** A thread that names ada in every member, changed by others with every trigger on. */
async function aChangedThread(): Promise<Scene> {
  const tenant = await withListeners(await aTenant(api), api);
  await tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });
  for (const service of ['activityServiceConfig', 'notificationServiceConfig'] as const) {
    const path = service === 'activityServiceConfig' ? 'activityconfig' : 'notificationconfig';
    await tenant.ok(`/v2/workspace/${path}/update`, {
      [service]: {
        triggers: {
          comment: {
            'comment.reaction_add': true,
            'comment_annotation.access_mode_change': true,
            'comment_annotation.assign': true,
            'comment_annotation.status_change': true,
          },
        },
      },
    });
  }
  const location = await aDocument(tenant);
  await tenant.ok('/v2/users/add', { ...location, users: [ada, grace, linus] });
  const thread = { ...location, annotationId: 'thread' };
  const at = (path: string, data: object) => tenant.ok(`/v2/commentannotations/${path}`, data);
  const tagged = [{ userId: ada.userId, text: `@${ada.name}`, contact: ada }];
  const mention = `{{${ada.userId}}} and {{${linus.userId}}} please`;
  await at('add', {
    ...location,
    commentAnnotations: [
      {
        annotationId: 'thread',
        visibility: { type: 'restricted', userIds: [ada.userId, grace.userId] },
        commentData: [{ from: grace, commentText: mention, taggedUserContacts: tagged, ...triggers }],
      },
    ],
  });
  await at('comments/add', { ...thread, commentData: [{ from: ada, commentText: words }] });
  await at('comments/add', {
    ...thread,
    commentData: [
      {
        from: grace,
        commentText: mention,
        commentHtml: `<p>${mention}</p>`,
        taggedUserContacts: tagged,
        progress: { state: 'active', visibleToUserIds: [ada.userId, linus.userId] },
        ...triggers,
      },
    ],
  });
  await at('comments/reactions/add', { ...thread, commentId: 2, icon: '+1', from: grace, ...triggers });
  const update = async (actionUser: object, updatedData: object) =>
    at('update', { ...location, annotationIds: ['thread'], updatedData, actionUser, ...triggers });
  await update(grace, { assignedTo: ada });
  await update(ada, { status: { id: 'RESOLVED', name: 'Resolved', type: 'terminal' } });
  await update(grace, { priority: { id: 'P0', name: 'Priority 0' } });
  await update(grace, { visibility: { type: 'restricted', userIds: [grace.userId, linus.userId] } });
  await update(grace, { assignedTo: linus });
  const both = [...tagged, { userId: linus.userId, text: `@${linus.name}`, contact: linus }];
  await at('comments/add', {
    ...thread,
    commentData: [{ from: grace, commentText: mention, taggedUserContacts: both, ...triggers }],
  });
  return { tenant, location };
}

async function rowsWith({ tenant }: Scene, text: string): Promise<string[]> {
  const { user_deletion: _, user_data_deletion: __, ...kept } = await rowsOf(api.database, tenant.id);
  const own = await api.database.sql<{ row: string }>(
    'select e.payload::text as row from event e where api_key_id = $1',
    [tenant.id],
  );
  return [...Object.values(kept).flat(), ...own.map(({ row }) => row)].filter((row) => row.includes(text));
}

describe('deleting a user that events, activity logs and notifications of comments name', () => {
  it('removes ids from lists, marks, names in texts and comments of the user, and keeps those of others', async () => {
    const scene = await aChangedThread();
    const { data: found } = await scene.tenant.ok<{ id: string }[]>('/v2/notifications/get', scene.location);
    const change = async (id: string | undefined, members: object) =>
      scene.tenant.ok('/v2/notifications/update', {
        ...scene.location,
        notifications: [{ id, ...members }],
      });
    const [ofComment, ofAssignment] = found;
    // A change of a notification keeps the users that its texts name, whatever it replaces beside them.
    await change(ofComment?.id, { notificationSourceData: { link: 'https://app.test' } });
    await change(ofAssignment?.id, { metadata: { kept: true } });
    for (const text of [ada.userId, ada.name, words]) expect(await rowsWith(scene, text)).not.toEqual([]);

    const deletion = await begunDeletion(api, scene.tenant, { userIds: [ada.userId] });
    expect(await carriedOut(api, deletion)).toEqual([]);
    for (const text of [ada.userId, ada.email, ada.name, words])
      expect((await rowsWith(scene, text)).map((row) => row.slice(0, 2_000))).toEqual([]);

    const { data: logs } = await scene.tenant.ok<{ actionType: string; changes?: { assignedTo?: object } }[]>(
      '/v2/activities/get',
      scene.location,
    );
    const assigned = logs.filter(({ actionType }) => actionType === 'comment_annotation.assign');
    // The log of ada's replacement by linus keeps linus.
    expect(assigned.map(({ changes }) => changes?.assignedTo)).toContainEqual({ to: linus });

    const payloads = (await rowsWith(scene, 'commentAnnotation')).join('\n');
    for (const kept of [grace.userId, linus.userId, '{{deleted}} and', `{{${linus.userId}}} please`])
      expect(payloads).toContain(kept);
  });
});
