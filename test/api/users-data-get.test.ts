import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { begunDeletion, carriedOut } from '../domain/deletion/carry-out.ts';
import { aBusyTenant, aPerson, furnish, type Furnished } from '../domain/deletion/furnish.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aDocument, addActivityLogs, anOrganization, type TestTenant } from '../support/factories.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(async () => {
  tenant = await aBusyTenant(api);
});
afterAll(() => api.close());

const ada = aPerson('ADA-the-person');
const grace = aPerson('GRACE-who-stays');

type Exported = Readonly<Record<string, unknown[]>> & { readonly user?: object | null };

const exported = async (data: object, version = 2) =>
  tenant.ok<Exported>(`/v${String(version)}/users/data/get`, data);

/** Reads all pages. Returns their arrays joined, and the number of pages. */
async function everything(
  data: object,
): Promise<{ readonly all: Record<string, unknown[]>; readonly pages: number }> {
  const all: Record<string, unknown[]> = {};
  let pageToken: string | undefined;
  let pages = 0;
  do {
    const page = await exported({ ...data, ...(pageToken !== undefined && { pageToken }) });
    for (const [kind, items] of Object.entries(page.data)) {
      if (!Array.isArray(items)) continue;
      expect(items.length).toBeLessThanOrEqual(100);
      all[kind] = [...(all[kind] ?? []), ...(items as unknown[])];
    }
    pageToken = page.nextPageToken;
    pages += 1;
  } while (pageToken !== undefined);
  return { all, pages };
}

const arrays = [
  'commentAnnotations',
  'comments',
  'reactions',
  'recordings',
  'activities',
  'notifications',
  'notificationsCaused',
  'mentions',
  'namedIn',
  'memberships',
  'permissions',
  'userGroups',
  'preferences',
  'agentExecutions',
  'crdtRecords',
  'deliveries',
  'commentViews',
  'namedRecipients',
  'waitingMessages',
];
const nothing = Object.fromEntries(arrays.map((kind) => [kind, []]));

describe('users/data/get', () => {
  it('lists the annotations of others that name the user, as assignee or in a comment, in pages', async () => {
    const location = await aDocument(tenant);
    const tagged = [{ userId: ada.userId, contact: { userId: ada.userId, name: ada.name } }];
    const ids = Array.from({ length: 150 }, (_, at) => `thread-${String(at).padStart(3, '0')}`);
    await tenant.ok('/v2/commentannotations/add', {
      ...location,
      commentAnnotations: [
        {
          annotationId: 'of-ada',
          assignedTo: grace,
          commentData: [{ from: ada, taggedUserContacts: tagged }],
        },
        { annotationId: 'of-grace', commentData: [{ from: grace, commentText: 'No one.' }] },
        ...ids.map((annotationId, at) => ({
          annotationId,
          ...(at % 2 === 0 && { assignedTo: ada }),
          commentData: [{ from: grace, ...(at % 2 === 1 && { taggedUserContacts: tagged }) }],
        })),
      ],
    });
    const { organizationId, documentId } = location;
    const { all } = await everything({ organizationId, userId: ada.userId });
    expect(all['mentions']).toEqual(
      ids.map((id) => ({
        source: 'commentAnnotation',
        id,
        documentId,
        timestamp: expect.any(Number),
      })),
    );
  });

  it('returns all data of a user, by kind', async () => {
    const { organizationId, documentId } = await furnish(tenant, ada, grace, { prefix: 'a' });
    const { message, data, nextPageToken } = await exported({ organizationId, userId: ada.userId });
    expect(message).toBe('Data fetched successfully.');
    expect(nextPageToken).toBeUndefined();
    const ids = (kind: string) =>
      (data[kind] as { id?: string; annotationId?: string }[]).map(
        ({ id, annotationId }) => id ?? annotationId,
      );
    expect(data.user).toMatchObject(ada);
    expect(Object.keys(data)).toEqual(['user', ...arrays]);
    expect(ids('comments')).toEqual(['a-own-comment']);
    expect(ids('reactions')).toEqual(['a-own-reaction']);
    expect(ids('recordings')).toEqual(['a-own', 'a-own-recorder']);
    expect(ids('activities')).toEqual(['a-own-crdt', 'a-own-custom']);
    expect(ids('notifications')).toEqual(['a-caused', 'a-received', 'a-alone']);
    expect(ids('notificationsCaused')).toEqual(['a-caused']);
    expect(data['mentions']).toEqual([
      { source: 'activity', id: 'a-others', documentId, timestamp: expect.any(Number) },
      { source: 'notification', id: 'a-received', documentId, timestamp: expect.any(Number) },
      { source: 'recording', id: 'a-others', documentId, timestamp: expect.any(Number) },
    ]);
    expect(data['memberships']).toEqual([
      { type: 'organization', id: organizationId, organizationId, accessRole: null },
      { type: 'document', id: documentId, organizationId, accessRole: null },
    ]);
    expect(data['permissions']).toEqual([
      { type: 'document', id: documentId, organizationId, accessRole: 'editor', expiresAt: null },
    ]);
    expect(data['userGroups']).toEqual([{ organizationUserGroupId: 'team', groupName: 'Team' }]);
    expect(data['preferences']).toEqual([
      {
        config: { inbox: 'ALL', email: null, slack: null },
        metadata: { organizationId, documentId, apiKey: tenant.apiKey, userId: ada.userId },
      },
    ]);
    expect(ids('agentExecutions')).toEqual([`a-run-of-${ada.userId}`]);
    expect(ids('crdtRecords')).toEqual(['editor-of-one']);
  });

  it.each([
    [1, 'the address it was sent to', { email: 'elsewhere@example.com' }, [], 'elsewhere@example.com'],
    [1, 'the address of the profile before that', { email: 'old@example.com' }, [ada], ada.email],
    [101, 'the address of the profile on both pages', {}, [ada], ada.email],
  ])('shows %i received notifications with %s', async (count, _, to, profiles, address) => {
    const { organizationId, documentId } = await aDocument(tenant);
    if (profiles.length > 0) await tenant.ok('/v2/users/add', { organizationId, users: profiles });
    for (let added = 0; added < count; added += 1)
      await tenant.ok('/v2/notifications/add', {
        organizationId,
        documentId,
        actionUser: grace,
        displayHeadlineMessageTemplate: 'wrote',
        displayBodyMessage: 'Hello.',
        notifyUsers: [{ userId: ada.userId, ...to }, grace],
      });
    const { all, pages } = await everything({ organizationId, userId: ada.userId });
    const shown = (all['notifications'] as { notifyUsers: object }[]).map(({ notifyUsers }) => notifyUsers);
    expect(pages).toBe(Math.ceil(count / 100));
    expect(shown).toEqual(Array.from({ length: count }, () => ({ [address]: true })));
  });

  it('returns every record once over all pages', async () => {
    const location: Furnished = await furnish(tenant, ada, grace, { prefix: 'a' });
    const records = Array.from({ length: 250 }, (_, n) => ({
      id: `many-${String(n)}`,
      featureType: n % 2 === 0 ? 'comment' : 'reaction',
      actionType: 'comment.add',
      actionUser: ada,
      timestamp: 1_000 + (n % 3),
    }));
    await addActivityLogs(tenant, location, records);
    await addActivityLogs(
      tenant,
      location,
      records.map((record) => ({
        ...record,
        id: `of-${record.id}`,
        actionUser: grace,
        entityData: { to: ada },
      })),
    );
    const { all, pages } = await everything({ organizationId: location.organizationId, userId: ada.userId });
    expect(pages).toBe(3);
    const idsOf = (kind: string) => (all[kind] as { id: string }[]).map(({ id }) => id);
    expect(new Set(idsOf('comments')).size).toBe(126);
    expect(idsOf('comments')).toHaveLength(126);
    expect(idsOf('reactions')).toHaveLength(126);
    expect(new Set(idsOf('mentions')).size).toBe(252);
    // An activity log and a recording have the same id.
    expect(idsOf('mentions')).toHaveLength(253);
    expect(all['memberships']).toHaveLength(2);
  });

  it('returns at most 100 comments per page, first the stored ones, then those in activity logs', async () => {
    const location: Furnished = await furnish(tenant, ada, grace, { prefix: 'a' });
    const stored = { annotationId: 'many', commentData: Array.from({ length: 150 }, () => ({ from: ada })) };
    await tenant.ok('/v2/commentannotations/add', { ...location, commentAnnotations: [stored] });
    const logged = Array.from({ length: 120 }, (_, n) => ({
      id: `logged-${String(n)}`,
      featureType: 'comment',
      actionType: 'comment.add',
      actionUser: ada,
    }));
    await addActivityLogs(tenant, location, logged);
    const kinds: string[] = [];
    let pageToken: string | undefined;
    do {
      const subject = { organizationId: location.organizationId, userId: ada.userId };
      const page = await exported({ ...subject, ...(pageToken !== undefined && { pageToken }) });
      const comments = page.data['comments'] as { commentId?: number }[];
      expect(comments.length).toBeLessThanOrEqual(100);
      kinds.push(...comments.map(({ commentId }) => (commentId === undefined ? 'logged' : 'stored')));
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
    const expected = ['stored', 'logged'].map((kind) => kinds.filter((one) => one === kind).length);
    expect(expected).toEqual([150, 121]);
    expect(kinds).toEqual([...kinds].sort((one, other) => other.localeCompare(one)));
  });

  it('returns all reactions when some are in a deleted document', async () => {
    const location = await aDocument(tenant);
    const { organizationId } = location;
    const deleted = await aDocument(tenant, { organizationId });
    for (const one of [deleted, location])
      await tenant.ok('/v2/commentannotations/add', {
        ...one,
        commentAnnotations: [{ annotationId: `in-${one.documentId}`, commentData: [{ from: ada }] }],
      });
    for (const [one, icons] of [
      [deleted, 1],
      [location, 101],
    ] as const)
      await api.database.sql(
        `insert into reaction (comment_id, icon, user_id, api_key_id, org_id, at, body)
         select c.id, i.icon, u.id, u.api_key_id, c.org_id, 1, '{"from":{"userId":"ADA-the-person"}}'
         from thread t join comment c on c.thread_id = t.id join app_user u on u.api_key_id = t.api_key_id,
           generate_series(1, $3::int) as i (icon)
         where t.ext_id = $1 and u.ext_id = $2`,
        [`in-${one.documentId}`, ada.userId, icons],
      );
    const { documentId } = deleted;
    await tenant.ok('/v2/organizations/documents/delete', { organizationId, documentIds: [documentId] });
    const { all, pages } = await everything({ organizationId, userId: ada.userId });
    expect(all['reactions']).toHaveLength(101);
    expect(pages).toBe(2);
  });

  it('ends a page of reactions of large users at 10 MiB', async () => {
    const location = await aDocument(tenant);
    const from = { ...ada, note: 'x'.repeat(1_000_000) };
    for (const annotationId of ['one', 'two']) {
      const commentAnnotations = [{ annotationId, commentData: [{ from: grace }] }];
      await tenant.ok('/v2/commentannotations/add', { ...location, commentAnnotations });
      for (const icon of ['a', 'b', 'c', 'd', 'e', 'f'])
        await tenant.ok('/v2/commentannotations/comments/reactions/add', {
          ...location,
          annotationId,
          commentId: 1,
          icon,
          from,
        });
    }
    const subject = { organizationId: location.organizationId, userId: ada.userId };
    const first = await exported(subject);
    expect(first.data['reactions']).toHaveLength(10);
    const rest = await exported({ ...subject, pageToken: first.nextPageToken });
    expect(rest.data['reactions']).toHaveLength(2);
    expect(rest.nextPageToken).toBeUndefined();
  });

  it('returns the user on the first page only', async () => {
    const location: Furnished = await furnish(tenant, ada, grace, { prefix: 'a' });
    const actionUser = ada;
    await addActivityLogs(
      tenant,
      location,
      Array.from({ length: 100 }, () => ({ featureType: 'comment', actionType: 'comment.add', actionUser })),
    );
    const data = { organizationId: location.organizationId, userId: ada.userId };
    const { nextPageToken: pageToken } = await exported(data);
    expect('user' in (await exported({ ...data, pageToken })).data).toBe(false);
    expect(
      await tenant.refused('/v2/users/data/get', { ...data, userId: grace.userId, pageToken }),
    ).toMatchObject({
      status: 'INVALID_ARGUMENT',
      message: 'pageToken is not valid.',
    });
  });

  it.each([1, 2])('returns empty arrays for an unknown user or organization (v%i)', async (version) => {
    const organizationId = await anOrganization(tenant);
    const { data } = await exported({ organizationId, userId: 'nobody', uniqueId: 'x' }, version);
    expect(data).toEqual({ user: null, ...nothing });
    expect((await exported({ organizationId: 'nowhere', userId: 'nobody' }, version)).data).toEqual({
      user: null,
      ...nothing,
    });
  });

  it('names annotations whose free JSON, or that of their comments, has the user as a key', async () => {
    const location = await aDocument(tenant);
    await tenant.ok('/v2/users/add', { ...location, users: [ada, grace] });
    const votes = { [ada.userId]: 1 };
    const comment = { from: grace };
    await tenant.ok('/v2/commentannotations/add', {
      ...location,
      commentAnnotations: [
        { annotationId: 'own', context: { votes }, commentData: [comment] },
        { annotationId: 'comments', commentData: [1, 2].map(() => ({ ...comment, context: { votes } })) },
        { annotationId: 'none', commentData: [comment] },
      ],
    });
    const { all } = await everything({ organizationId: location.organizationId, userId: ada.userId });
    expect(all['namedIn']).toEqual(['own', 'comments'].map((id) => ({ source: 'commentAnnotation', id })));
    expect(all['mentions']).toEqual([]);
    expect(await carriedOut(api, await begunDeletion(api, tenant, { userIds: [ada.userId] }))).toEqual([]);
    const after = await everything({ organizationId: location.organizationId, userId: ada.userId });
    expect(after.all['namedIn']).toEqual([]);
  });

  it('returns empty arrays after the user’s data is deleted', async () => {
    const { organizationId } = await furnish(tenant, ada, grace, { prefix: 'a' });
    const note = { owners: [{ userId: ada.userId }], reactions: { [ada.email.toUpperCase()]: 'yes' } };
    await tenant.ok('/v2/organizations/update', { organizations: [{ organizationId, note }] });
    const before = await exported({ organizationId, userId: ada.userId });
    expect(before.data['namedIn']).toEqual([{ source: 'organization', id: organizationId }]);
    // test/domain/deletion has annotations and deliveries, users-data-get-outside-inbox.test.ts the last three.
    const empty = arrays.filter((kind) => before.data[kind]?.length === 0);
    expect(empty).toEqual(['commentAnnotations', ...arrays.slice(-4)]);
    expect(await carriedOut(api, await begunDeletion(api, tenant, { userIds: [ada.userId] }))).toEqual([]);
    expect((await exported({ organizationId, userId: ada.userId })).data).toEqual({ user: null, ...nothing });
    const others = await exported({ organizationId, userId: grace.userId });
    expect(others.data['comments']).toHaveLength(2);
  });
});
