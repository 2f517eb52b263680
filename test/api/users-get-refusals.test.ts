import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import { expectIssues, expectRefusal, numbered, somePeople, overlapping } from './users-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

const path = '/v2/users/get';

describe('counting users', () => {
  it('counts the members at each level, and members of several documents once', async () => {
    const people = await overlapping(tenant);
    const { ids } = people;
    expect(await people.count()).toBe(1);
    expect(await people.count({ documentId: 'a' })).toBe(3);
    expect(await people.count({ documentId: 'c' })).toBe(0);
    expect(await people.count({ allDocuments: true })).toBe(5);
    expect(await people.count({ allDocuments: true, userId: ids[1] })).toBe(1);
    expect(await people.count({ allDocuments: true, userId: ids[4] })).toBe(0);
    expect(await people.count({ userId: ids[4] })).toBe(1);
    expect(await people.count({ documentId: 'a', userId: 'nobody' })).toBe(0);
  });

  it('returns its message in the envelope', async () => {
    const people = await somePeople(tenant);
    expect(await people.ok('/v2/users/count/get', {})).toEqual({
      status: 'success',
      message: 'User count retrieved successfully.',
      data: { count: 0 },
    });
  });
});

describe('a read of users', () => {
  const reads = [path, '/v1/users/get', '/v2/users/doc/get', '/v2/users/count/get'];

  it.each(reads)('by %s rejects a missing organization', async (url) => {
    const expected = { http: 404, status: 'NOT_FOUND', message: 'Organization does not exist' };
    await expectRefusal(api, tenant, url, { organizationId: 'nowhere' }, expected);
    await expectIssues(api, tenant, url, {}, { 'data.organizationId': 'organizationId is required.' });
  });

  it('rejects missing documents and folders', async () => {
    const { organizationId } = await somePeople(tenant);
    const document = { http: 404, status: 'NOT_FOUND', message: 'Document does not exist' };
    for (const url of [path, '/v2/users/count/get']) {
      await expectRefusal(api, tenant, url, { organizationId, documentId: 'nowhere' }, document);
    }
    const folder = { http: 404, status: 'NOT_FOUND', message: 'Folder does not exist.' };
    await expectRefusal(api, tenant, path, { organizationId, folderId: 'nowhere' }, folder);
  });

  const many = numbered(31).map(({ userId }) => userId);
  it.each([
    [
      path,
      { documentId: 'd', folderId: 'f' },
      { 'data.documentId': 'documentId and folderId exclude each other.' },
    ],
    [path, { folderId: 'root' }, { 'data.folderId': 'folderId must not be root.' }],
    [
      path,
      { allDocuments: true, documentId: 'd' },
      { 'data.allDocuments': 'allDocuments and documentId exclude each other.' },
    ],
    [
      path,
      { allDocuments: true, folderId: 'f' },
      { 'data.allDocuments': 'allDocuments and folderId exclude each other.' },
    ],
    [
      path,
      { groupByDocumentId: true },
      { 'data.groupByDocumentId': 'groupByDocumentId needs allDocuments: true.' },
    ],
    [path, { includeInvolvedDocuments: true }, { 'data.userIds': 'userIds is required.' }],
    [
      path,
      { includeInvolvedDocumentsCount: true, userIds: many },
      { 'data.userIds': 'userIds must hold 1 to 30 items, not 31.' },
    ],
    [path, { userIds: [] }, { 'data.userIds': 'userIds must hold 1 to 1000 items, not 0.' }],
    [
      path,
      { organizationUserGroupIds: many },
      { 'data.organizationUserGroupIds': 'organizationUserGroupIds must hold 1 to 30 items, not 31.' },
    ],
    [path, { searchKey: '' }, { 'data.searchKey': 'searchKey must not be empty.' }],
    [path, { searchKey: 'x'.repeat(201) }, { 'data.searchKey': 'searchKey must be at most 200 characters.' }],
    [path, { pageSize: 1_001 }, { 'data.pageSize': 'pageSize must be an integer from 1 to 1000.' }],
    [path, { pageToken: 'damaged' }, { 'data.pageToken': 'pageToken is not valid.' }],
    ['/v2/users/doc/get', { includeInvolvedDocuments: true }, { 'data.userIds': 'userIds is required.' }],
    [
      '/v2/users/count/get',
      { allDocuments: true, documentId: 'd' },
      { 'data.allDocuments': 'allDocuments and documentId exclude each other.' },
    ],
  ] as [string, object, Record<string, string>][])('by %s rejects %j', async (url, data, issues) => {
    const { organizationId } = await somePeople(tenant);
    await expectIssues(api, tenant, url, { organizationId, ...data }, issues);
  });
});
