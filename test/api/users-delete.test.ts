import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aTenant, freshId, type TestTenant } from '../support/factories.ts';
import {
  accessRows,
  expectIssues,
  expectRefusal,
  fence,
  fenced,
  grant,
  numbered,
  somePeople,
  userIds,
} from './users-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

const removed = (id: string) => ({ success: true, id, message: 'User removed.' });
const missing = (id: string) => ({
  success: false,
  id,
  message: 'User does not exist.',
  code: 'not-found',
});

describe.each(['/v1/users/delete', '/v2/users/delete'])('%s', (path) => {
  it('removes the membership at the requested level only', async () => {
    const people = await somePeople(tenant);
    const { documentId, folderId } = people;
    const [userId, nobody] = [freshId('user'), freshId('nobody')];
    for (const level of [{}, { documentId }, { folderId }]) await people.add([{ userId }], level);
    const result = await people.ok(path, { documentId, userIds: [userId, nobody], context: {} });
    expect(result).toEqual({
      status: 'success',
      message: 'User(s) deleted successfully.',
      data: { [userId]: removed(userId), [nobody]: missing(nobody) },
      failedCount: 1,
    });
    expect((await accessRows(api, tenant, userId)).map(({ kind }) => kind)).toEqual([1, 2]);
    expect((await people.ok(path, { documentId, userIds: [userId] })).data).toEqual({
      [userId]: missing(userId),
    });
    expect((await people.ok(path, { folderId, userIds: [userId] })).failedCount).toBe(0);
    expect((await accessRows(api, tenant, userId)).map(({ kind }) => kind)).toEqual([1]);
    expect(await api.database.sql('select 1 from app_user where ext_id = $1', [nobody])).toEqual([]);
  });

  it.each([
    ['document', 'documentId', (id: string) => ({ documentIds: [id] })],
    ['folder', 'folderId', (id: string) => ({ folderId: id })],
  ] as const)('does not count a membership in a deleted %s', async (kind, container, deletion) => {
    const people = await somePeople(tenant);
    const [gone, stays] = [freshId('gone'), freshId('stays')];
    await people.add([{ userId: gone }], { [container]: people[container] });
    await people.add([{ userId: stays }]);
    await people.ok(`/v2/organizations/${kind}s/delete`, deletion(people[container]));
    const result = await people.ok(path, { userIds: [gone, stays] });
    expect(result.data).toEqual({ [gone]: missing(gone), [stays]: removed(stays) });
    expect(await accessRows(api, tenant, gone)).toEqual([]);
  });

  it('removes memberships in documents, folders and groups with that of their organization, and in no other organization', async () => {
    const people = await somePeople(tenant);
    const elsewhere = await somePeople(tenant);
    const { documentId, folderId } = people;
    const [userId, ofDocumentOnly, stays] = [freshId('user'), freshId('document-only'), freshId('stays')];
    for (const level of [{}, { documentId }, { folderId }]) {
      await people.add([{ userId }, { userId: stays }], level);
    }
    await people.add([{ userId: ofDocumentOnly }], { documentId });
    await elsewhere.add([{ userId }]);
    for (const organization of [people, elsewhere]) {
      await organization.ok('/v2/organizations/usergroups/add', {
        organizationUserGroups: [{ groupId: 'g' }],
      });
      const group = { organizationUserGroupId: 'g', userIds: [userId, stays] };
      await organization.ok('/v2/organizations/usergroups/users/add', group);
    }
    const { data } = await people.ok(path, { userIds: [userId, ofDocumentOnly] });
    expect(data).toEqual({ [userId]: removed(userId), [ofDocumentOnly]: removed(ofDocumentOnly) });
    expect(userIds(await people.get())).toEqual([stays]);
    expect(userIds(await people.get({ allDocuments: true }))).toEqual([stays]);
    expect(userIds(await people.get({ folderId }))).toEqual([stays]);
    const inGroup = { organizationUserGroupIds: ['g'] };
    expect(userIds(await elsewhere.get(inGroup))).toEqual([userId]);
    await people.add([{ userId }]);
    expect(userIds(await people.get(inGroup))).toEqual([stays]);
    expect(userIds(await elsewhere.get())).toEqual([userId]);
  });

  it('keeps grants, and clears the membership’s role', async () => {
    const people = await somePeople(tenant);
    const { documentId } = people;
    const userId = freshId('user');
    await people.add([{ userId, name: 'Ada', accessRole: 'viewer' }], { documentId });
    await grant(api, tenant, userId, documentId);
    await people.ok(path, { documentId, userIds: [userId] });
    expect(await accessRows(api, tenant, userId)).toEqual([
      { user_ext: userId, kind: 3, is_member: false, member_role: null, grant_role: 2 },
    ]);
    expect(await people.get({ documentId })).toEqual([]);
    expect(await people.count({ documentId })).toBe(0);
    // The profile is kept: a new membership has the same name, and no role.
    await people.add([{ userId }], { documentId });
    expect(await people.get({ documentId })).toMatchObject([{ name: 'Ada', accessRole: null }]);
  });

  it('rejects missing resources and malformed input, and writes nothing', async () => {
    const { organizationId } = await somePeople(tenant);
    const ids = [freshId('user')];
    const notFound = { http: 404, status: 'NOT_FOUND' };
    await expectRefusal(
      api,
      tenant,
      path,
      { organizationId: 'nowhere', userIds: ids },
      { ...notFound, message: 'Organization does not exist' },
    );
    await expectRefusal(
      api,
      tenant,
      path,
      { organizationId, documentId: 'nowhere', userIds: ids },
      { ...notFound, message: 'Document does not exist' },
    );
    await expectRefusal(
      api,
      tenant,
      path,
      { organizationId, folderId: 'nowhere', userIds: ids },
      { ...notFound, message: 'Folder does not exist.' },
    );
    const issues = async (data: object, expected: Record<string, string>) =>
      expectIssues(api, tenant, path, data, expected);
    await issues({ organizationId }, { 'data.userIds': 'userIds is required.' });
    await issues(
      { organizationId, userIds: [] },
      { 'data.userIds': 'userIds must hold 1 to 1000 items, not 0.' },
    );
    await issues(
      { organizationId, userIds: numbered(1_001).map(({ userId }) => userId) },
      { 'data.userIds': 'userIds must hold 1 to 1000 items, not 1001.' },
    );
    await issues(
      { organizationId, userIds: ids, documentId: 'd', folderId: 'f' },
      { 'data.documentId': 'documentId and folderId exclude each other.' },
    );
  });

  it('rejects the whole call while one of its users is under deletion', async () => {
    const people = await somePeople(tenant);
    const [gone, free] = [freshId('gone'), freshId('free')];
    await people.add([{ userId: gone }, { userId: free }]);
    const jobId = await fence(api, tenant, gone, people.organizationId);
    const data = { organizationId: people.organizationId, userIds: [free, gone] };
    await expectRefusal(api, tenant, path, data, fenced(gone, jobId));
  });
});
