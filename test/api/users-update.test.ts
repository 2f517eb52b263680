import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aDocument, aTenant, freshId, type TestTenant } from '../support/factories.ts';
import {
  accessRows,
  expectIssues,
  expectRefusal,
  fence,
  fenced,
  grant,
  numbered,
  somePeople,
  type Items,
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
  it('updates members of the level named; a user of another level fails alone', async () => {
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
    // Nobody was made by being named.
    expect(await api.database.sql('select 1 from app_user where ext_id = $1', [nobody])).toEqual([]);
  });

  it('does not take the holder of a mere grant for a member', async () => {
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

  it('is refused for what does not exist or excludes each other, and writes nothing', async () => {
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

  it('is refused whole while one of the users is under deletion', async () => {
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
  it('are set on the membership named, and on no other; an absent one stays', async () => {
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

  it('are passed over by v1, and said so', async () => {
    const people = await somePeople(tenant);
    const userId = freshId('user');
    await people.add([{ userId, accessRole: 'viewer' }]);
    const answer = await tenant.call('/v1/users/update', {
      organizationId: people.organizationId,
      users: [{ userId, accessRole: 'editor' }],
    });
    expect(answer.headers['x-ignored-members']).toBe(encodeURIComponent('users[0].accessRole'));
    expect(answer.body.result?.failedCount).toBe(0);
    expect(await people.get()).toMatchObject([{ accessRole: 'viewer' }]);
  });
});

describe('options.allDocuments', () => {
  it('updates whoever belongs to any document of the organization, and the roles there', async () => {
    const people = await somePeople(tenant);
    const second = await aDocument(tenant, { organizationId: people.organizationId });
    const elsewhere = await somePeople(tenant);
    const [a, b, c] = [freshId('a'), freshId('b'), freshId('c')];
    await people.add([{ userId: a }], { documentId: people.documentId });
    await people.add([{ userId: a }], { documentId: second.documentId });
    await people.add([{ userId: b }]);
    await elsewhere.add([{ userId: c }], { documentId: elsewhere.documentId });
    const users = [a, b, c].map((userId) => ({ userId, name: 'New', accessRole: 'viewer' }));
    const { data } = await people.ok(path, { users, options: { allDocuments: true } });
    expect(data).toEqual({ [a]: updated(a), [b]: missing(b), [c]: missing(c) });
    expect(await accessRows(api, tenant, a)).toMatchObject([{ member_role: 1 }, { member_role: 1 }]);
    expect(await accessRows(api, tenant, b)).toMatchObject([{ kind: 1, member_role: null }]);
    expect(await accessRows(api, tenant, c)).toMatchObject([{ member_role: null }]);
  });

  it('does not count documents that are deleted, or in a deleted folder', async () => {
    const people = await somePeople(tenant);
    const { organizationId, folderId } = people;
    const inFolder = await aDocument(tenant, { organizationId, folderId });
    const userId = freshId('user');
    await people.add([{ userId }], { documentId: people.documentId });
    await people.add([{ userId }], { documentId: inFolder.documentId });
    await people.ok('/v2/organizations/documents/delete', { documentIds: [people.documentId] });
    await people.ok('/v2/organizations/folders/delete', { folderId });
    const { data } = await people.ok(path, {
      users: [{ userId, name: 'X' }],
      options: { allDocuments: true },
    });
    expect(data).toEqual({ [userId]: missing(userId) });
  });
});

describe('options.all', () => {
  it('updates every user of the key, members or not, and nobody of another key', async () => {
    const people = await somePeople(tenant);
    const other = await aTenant(api);
    const theirs = await somePeople(other);
    const [a, b, c] = [freshId('a'), freshId('b'), freshId('c')];
    await people.add([{ userId: a }]);
    await people.add([{ userId: b }], { folderId: people.folderId });
    await theirs.add([{ userId: c }]);
    const users = [a, b, c].map((userId) => ({ userId, name: 'New' }));
    const { data } = await tenant.ok<Items>(path, { users, options: { all: true } });
    expect(data).toEqual({ [a]: updated(a), [b]: updated(b), [c]: missing(c) });
    expect((await theirs.get())[0]?.name).toBe('');
  });

  it('refuses a user who is under deletion anywhere', async () => {
    const people = await somePeople(tenant);
    const gone = freshId('gone');
    await people.add([{ userId: gone }]);
    const jobId = await fence(api, tenant, gone, people.organizationId);
    const data = { users: [{ userId: gone, name: 'X' }], options: { all: true } };
    await expectRefusal(api, tenant, path, data, fenced(gone, jobId));
  });

  it('is refused with what it makes senseless, and writes nothing', async () => {
    const people = await somePeople(tenant);
    const userId = freshId('user');
    const users = [{ userId }];
    await people.add(users);
    const { organizationId } = people;
    await expectIssues(
      api,
      tenant,
      path,
      { organizationId, users, options: { all: true, allDocuments: true } },
      { 'data.options.all': 'options.all and allDocuments exclude each other.' },
    );
    await expectIssues(
      api,
      tenant,
      path,
      { folderId: 'f', users, options: { all: true } },
      { 'data.options.all': 'options.all and folderId exclude each other.' },
    );
    await expectIssues(
      api,
      tenant,
      path,
      { users: [{ userId, accessRole: 'viewer' }], options: { all: true } },
      { 'data.options.all': 'options.all and accessRole exclude each other.' },
    );
    await expectIssues(
      api,
      tenant,
      path,
      { organizationId, documentId: 'd', users, options: { allDocuments: true } },
      { 'data.options.allDocuments': 'options.allDocuments and documentId exclude each other.' },
    );
    await expectIssues(
      api,
      tenant,
      path,
      { organizationId, users, options: { everyone: true } },
      { 'data.options.everyone': 'Unknown member: options.everyone.' },
    );
    await expectRefusal(
      api,
      tenant,
      path,
      { organizationId: 'nowhere', users: [{ userId: 'u' }], options: { all: true } },
      { http: 404, status: 'NOT_FOUND', message: 'Organization does not exist' },
    );
  });
});
