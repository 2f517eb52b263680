import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aDocument, aTenant, freshId, type TestTenant } from '../support/factories.ts';
import {
  accessRows,
  expectIssues,
  expectRefusal,
  fence,
  fenced,
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

describe('options.allDocuments', () => {
  it('updates members of any document of the organization, and their roles there', async () => {
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

  it('ignores deleted documents and those in deleted folders', async () => {
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
  it('updates every user of the key, members or not, and no user of another key', async () => {
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

  it('rejects a user under deletion in any organization', async () => {
    const people = await somePeople(tenant);
    const gone = freshId('gone');
    await people.add([{ userId: gone }]);
    const jobId = await fence(api, tenant, gone, people.organizationId);
    const data = { users: [{ userId: gone, name: 'X' }], options: { all: true } };
    await expectRefusal(api, tenant, path, data, fenced(gone, jobId));
  });

  it('rejects members that it excludes, and writes nothing', async () => {
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
