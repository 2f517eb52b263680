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

  it('returns empty arrays after the user’s data is deleted', async () => {
    const { organizationId } = await furnish(tenant, ada, grace, { prefix: 'a' });
    const note = { owners: [{ userId: ada.userId }], reactions: { [ada.email.toUpperCase()]: 'yes' } };
    await tenant.ok('/v2/organizations/update', { organizations: [{ organizationId, note }] });
    const before = await exported({ organizationId, userId: ada.userId });
    expect(before.data['namedIn']).toEqual([{ source: 'organization', id: organizationId }]);
    // test/domain/deletion has annotations and deliveries.
    const empty = arrays.filter((kind) => before.data[kind]?.length === 0);
    expect(empty).toEqual(['commentAnnotations', 'deliveries']);
    expect(await carriedOut(api, await begunDeletion(api, tenant, { userIds: [ada.userId] }))).toEqual([]);
    expect((await exported({ organizationId, userId: ada.userId })).data).toEqual({ user: null, ...nothing });
    const others = await exported({ organizationId, userId: grace.userId });
    expect(others.data['comments']).toHaveLength(2);
  });
});
