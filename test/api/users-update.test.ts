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
} from './users-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

const path = '/v2/users/update';
const updated = (id: string) => ({ success: true, id, message: 'User updated.' });
const missing = (id: string) => ({
  success: false,
  id,
  message: 'User does not exist.',
  code: 'not-found',
});

describe.each(['/v1/users/update', path])('%s', (either) => {
  it('updates members at the requested level, and fails only for a user of another level', async () => {
    const people = await somePeople(tenant);
    const { documentId, folderId } = people;
    const [a, b, c, nobody] = [freshId('a'), freshId('b'), freshId('c'), freshId('nobody')];
    await people.add([{ userId: a, name: 'A', email: 'a@example.com', team: 'x' }]);
    await people.add([{ userId: b }], { documentId });
    await people.add([{ userId: c }], { folderId });
    const all = [a, b, c, nobody].map((userId) => ({ userId, name: 'New', team: null }));
    const result = await people.ok(either, { users: all });
    expect(result).toEqual({
      status: 'success',
      message: 'User(s) updated successfully.',
      data: { [a]: updated(a), [b]: missing(b), [c]: missing(c), [nobody]: missing(nobody) },
      failedCount: 3,
    });
    expect(await people.get()).toEqual([
      { userId: a, name: 'New', email: 'a@example.com', initial: 'N', accessRole: null },
    ]);
    const ofDocument = await people.ok(either, { documentId, users: all });
    expect(ofDocument.data).toMatchObject({ [a]: missing(a), [b]: updated(b), [c]: missing(c) });
    const ofFolder = await people.ok(either, { folderId, users: all });
    expect(ofFolder.data).toMatchObject({ [b]: missing(b), [c]: updated(c) });
    expect(await people.get({ documentId })).toMatchObject([{ userId: b, name: 'New' }]);
    // The call created no user.
    expect(await api.database.sql('select 1 from app_user where ext_id = $1', [nobody])).toEqual([]);
  });

  it('does not treat a user with only a grant as a member', async () => {
    const people = await somePeople(tenant);
    const userId = freshId('user');
    await people.add([{ userId }]);
    await grant(api, tenant, userId, people.documentId);
    const { data } = await people.ok(either, {
      documentId: people.documentId,
      users: [{ userId, name: 'X' }],
    });
    expect(data).toEqual({ [userId]: missing(userId) });
  });

  it('rejects missing resources and exclusive members, and writes nothing', async () => {
    const people = await somePeople(tenant);
    const { organizationId } = people;
    const users = [{ userId: freshId('user'), name: 'X' }];
    await people.add(users);
    const notFound = { http: 404, status: 'NOT_FOUND' };
    const refused = async (data: object, expected: object) =>
      expectRefusal(api, tenant, either, data, expected as Record<string, unknown>);
    await refused(
      { organizationId: 'nowhere', users },
      { ...notFound, message: 'Organization does not exist' },
    );
    await refused(
      { organizationId, documentId: 'nowhere', users },
      { ...notFound, message: 'Document does not exist' },
    );
    await refused(
      { organizationId, folderId: 'nowhere', users },
      { ...notFound, message: 'Folder does not exist.' },
    );
    await expectIssues(
      api,
      tenant,
      either,
      { organizationId, documentId: 'd', folderId: 'f', users },
      { 'data.documentId': 'documentId and folderId exclude each other.' },
    );
    await expectIssues(
      api,
      tenant,
      either,
      { users },
      { 'data.organizationId': 'organizationId is required.' },
    );
    await expectIssues(api, tenant, either, { organizationId }, { 'data.users': 'users is required.' });
    await expectIssues(
      api,
      tenant,
      either,
      { organizationId, users: [] },
      { 'data.users': 'users must hold 1 to 1000 items, not 0.' },
    );
    await expectIssues(
      api,
      tenant,
      either,
      { organizationId, users: numbered(1_001) },
      { 'data.users': 'users must hold 1 to 1000 items, not 1001.' },
    );
  });

  it('rejects the whole call while one of its users is under deletion', async () => {
    const people = await somePeople(tenant);
    const [gone, free] = [freshId('gone'), freshId('free')];
    await people.add([{ userId: gone }, { userId: free }]);
    const jobId = await fence(api, tenant, gone);
    const users = [free, gone].map((userId) => ({ userId, name: 'New' }));
    const data = { organizationId: people.organizationId, users };
    await expectRefusal(api, tenant, either, data, fenced(gone, jobId));
  });
});

describe('roles', () => {
  it('are set on the requested membership only, and kept when absent', async () => {
    const people = await somePeople(tenant);
    const { documentId } = people;
    const userId = freshId('user');
    await people.add([{ userId, accessRole: 'editor' }]);
    await people.add([{ userId, accessRole: 'editor' }], { documentId });
    await grant(api, tenant, userId, documentId);
    await people.ok(path, { documentId, users: [{ userId, accessRole: 'viewer' }] });
    await people.ok(path, { documentId, users: [{ userId, name: 'Ada' }] });
    expect(await accessRows(api, tenant, userId)).toMatchObject([
      { kind: 1, member_role: 2 },
      { kind: 3, member_role: 1, grant_role: 2 },
    ]);
  });

  it('are ignored by v1 and listed in X-Ignored-Members', async () => {
    const people = await somePeople(tenant);
    const userId = freshId('user');
    await people.add([{ userId, accessRole: 'viewer' }]);
    const response = await tenant.call('/v1/users/update', {
      organizationId: people.organizationId,
      users: [{ userId, accessRole: 'editor' }],
    });
    expect(response.headers['x-ignored-members']).toBe(encodeURIComponent('users[0].accessRole'));
    expect(response.body.result?.failedCount).toBe(0);
    expect(await people.get()).toMatchObject([{ accessRole: 'viewer' }]);
  });
});
