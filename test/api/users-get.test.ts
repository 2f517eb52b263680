import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import type { Result } from '../support/client.ts';
import {
  activities,
  addActivities,
  aDocument,
  aTenant,
  freshId,
  withActivityService,
  type TestTenant,
} from '../support/factories.ts';
import {
  expectIssues,
  expectRefusal,
  grant,
  numbered,
  somePeople,
  userIds,
  type People,
  type UserAnswer,
} from './users-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await withActivityService(await aTenant(api));
});
afterAll(async () => api.close());

const path = '/v2/users/get';
type Grouped = Readonly<Record<string, readonly UserAnswer[]>>;

/** Every page of a list, by its tokens. */
async function pages<Data>(url: string, data: object): Promise<Result<Data>[]> {
  const read: Result<Data>[] = [];
  let pageToken: string | undefined;
  do {
    const page: Result<Data> = await tenant.ok<Data>(url, { ...data, ...(pageToken && { pageToken }) });
    expect(page.pageToken).toBe(page.nextPageToken);
    read.push(page);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return read;
}

/** Documents `a` to `c` with overlapping people. */
async function overlapping(): Promise<People & { readonly ids: readonly string[] }> {
  const people = await somePeople(tenant);
  const ids = numbered(6, freshId('u')).map(({ userId }) => userId);
  for (const [documentId, members] of [
    ['a', [0, 1, 2]],
    ['b', [1, 2, 3]],
    ['c', []],
    ['d', [5]],
  ] as const) {
    await aDocument(tenant, { organizationId: people.organizationId, documentId });
    if (members.length === 0) continue;
    const users = members.map((at) => ({ userId: ids[at], name: `Name ${String(at)}` }));
    await people.add(users, { documentId });
  }
  await people.add([{ userId: ids[4] }]);
  return { ...people, ids };
}

describe('reading the members of a level', () => {
  it('answers them in byte order of their ids, page by page, holders of mere grants left out', async () => {
    const people = await somePeople(tenant);
    const { organizationId, documentId } = people;
    const users = numbered(25, freshId('paged'));
    await people.add(users.toReversed(), { documentId });
    await people.add([{ userId: 'Zed' }, { userId: 'åke' }, { userId: 'apart' }], { documentId });
    await people.add([{ userId: 'granted' }]);
    await grant(api, tenant, 'granted', documentId);
    const expected = [...users.map(({ userId }) => userId), 'Zed', 'åke', 'apart'].sort((left, right) =>
      Buffer.compare(Buffer.from(left), Buffer.from(right)),
    );
    for (const pageSize of [1, 7, 28, 1_000]) {
      const read = await pages<UserAnswer[]>(path, { organizationId, documentId, pageSize });
      expect(read.flatMap(({ data }) => userIds(data))).toEqual(expected);
      for (const { data } of read) expect(data.length).toBeLessThanOrEqual(pageSize);
    }
  });

  it('answers those of the ids that are members', async () => {
    const people = await somePeople(tenant);
    await people.add([{ userId: 'a' }, { userId: 'b' }, { userId: 'c' }]);
    await people.add([{ userId: 'd' }], { documentId: people.documentId });
    expect(userIds(await people.get({ userIds: ['c', 'a', 'd', 'nobody'] }))).toEqual(['a', 'c']);
  });

  it('finds a part of name, e-mail or id, whatever its case, and takes no character for a pattern', async () => {
    const people = await somePeople(tenant);
    await people.add([
      { userId: 'one', name: 'Ada Lovelace' },
      { userId: 'two', name: 'Grace', email: 'Hopper@Example.com' },
      { userId: 'Three-LOVE' },
      { userId: 'four', name: 'ÉLISE' },
      { userId: 'five', name: '100%_x\\' },
    ]);
    const found = async (searchKey: string) => userIds(await people.get({ searchKey }));
    expect(await found('lOvE')).toEqual(['Three-LOVE', 'one']);
    expect(await found('hopper@')).toEqual(['two']);
    expect(await found('élise')).toEqual(['four']);
    expect(await found('%')).toEqual(['five']);
    expect(await found('_x\\')).toEqual(['five']);
    expect(await found('nobody')).toEqual([]);
    expect(userIds(await people.get({ searchKey: 'o', userIds: ['one', 'five'] }))).toEqual(['one']);
  });

  it('narrows to any of some groups; an unknown group has nobody', async () => {
    const people = await somePeople(tenant);
    const { documentId } = people;
    await people.add(['a', 'b', 'c', 'd'].map((userId) => ({ userId, name: `Name ${userId}` })));
    await people.add([{ userId: 'b' }], { documentId });
    await people.ok('/v2/organizations/usergroups/add', {
      organizationUserGroups: [{ groupId: 'x' }, { groupId: 'y' }],
    });
    const join = '/v2/organizations/usergroups/users/add';
    await people.ok(join, { organizationUserGroupId: 'x', userIds: ['a', 'b'] });
    await people.ok(join, { organizationUserGroupId: 'y', userIds: ['b', 'd'] });
    const both = { organizationUserGroupIds: ['x', 'y'] };
    expect(userIds(await people.get(both))).toEqual(['a', 'b', 'd']);
    expect(userIds(await people.get({ ...both, documentId }))).toEqual(['b']);
    expect(userIds(await people.get({ ...both, allDocuments: true }))).toEqual(['b']);
    expect(userIds(await people.get({ ...both, searchKey: 'NAME D' }))).toEqual(['d']);
    expect(userIds(await people.get({ ...both, userIds: ['a', 'c'] }))).toEqual(['a']);
    expect(await people.get({ organizationUserGroupIds: ['nobody'] })).toEqual([]);
    const { organizationId } = people;
    const read = await pages<UserAnswer[]>(path, { organizationId, ...both, pageSize: 1 });
    expect(read.flatMap(({ data }) => userIds(data))).toEqual(['a', 'b', 'd']);
  });

  it('answers everything under v1 without a page size, and pages of 1,000 under v2', async () => {
    const people = await somePeople(tenant);
    const { organizationId } = people;
    const prefix = freshId('everything');
    await people.add(numbered(1_000, prefix));
    await people.add([{ userId: 'zz' }]);
    const whole = await tenant.ok<UserAnswer[]>('/v1/users/get', { organizationId });
    expect(whole.data).toHaveLength(1_001);
    expect(whole.nextPageToken).toBeUndefined();
    const first = await tenant.ok<UserAnswer[]>(path, { organizationId });
    expect(first.data).toHaveLength(1_000);
    expect(first.nextPageToken).toBeDefined();
  });
});

describe('reading the users of all documents', () => {
  it('answers each once, in order, page by page, without a role', async () => {
    const people = await overlapping();
    const { organizationId, ids } = people;
    const belonging = [0, 1, 2, 3, 5].map((at) => ids[at]);
    for (const pageSize of [1, 2, 5]) {
      const data = { organizationId, allDocuments: true, pageSize };
      const read = await pages<UserAnswer[]>(path, data);
      expect(read.flatMap(({ data: users }) => userIds(users))).toEqual(belonging);
    }
    const [first] = await people.get({ allDocuments: true });
    expect(first).toEqual({ userId: ids[0], name: 'Name 0', email: '', initial: 'N' });
    expect(userIds(await people.get({ allDocuments: true, searchKey: 'name 3' }))).toEqual([ids[3]]);
    expect(userIds(await people.get({ allDocuments: true, userIds: [ids[4], ids[5]] }))).toEqual([ids[5]]);
  });

  it('answers them by document, grouped pages being cut by document, then by user', async () => {
    const { organizationId, ids } = await overlapping();
    const request = { organizationId, allDocuments: true, groupByDocumentId: true };
    const expected = { a: [0, 1, 2], b: [1, 2, 3], d: [5] };
    for (const pageSize of [1, 2, 3, 4, 7, 8]) {
      const read: Record<string, string[]> = {};
      for (const { data } of await pages<Grouped>(path, { ...request, pageSize })) {
        for (const [documentId, users] of Object.entries(data)) {
          read[documentId] = [...(read[documentId] ?? []), ...userIds(users)];
        }
      }
      expect(read).toEqual(
        Object.fromEntries(
          Object.entries(expected).map(([id, members]) => [id, members.map((at) => ids[at])]),
        ),
      );
      expect(Object.keys(read)).toEqual(Object.keys(expected));
    }
    const whole = await tenant.ok<Grouped>('/v1/users/get', request);
    expect(Object.keys(whole.data)).toEqual(['a', 'b', 'd']);
    expect(whole.data['d']).toEqual([
      { userId: ids[5], name: 'Name 5', email: '', initial: 'N', accessRole: null },
    ]);
    const narrowed = await tenant.ok<Grouped>(path, { ...request, userIds: [ids[2]], searchKey: 'name' });
    expect(Object.keys(narrowed.data)).toEqual(['a', 'b']);
  });

  it('streams a map of a thousand lists whole', async () => {
    const people = await somePeople(tenant);
    const { organizationId } = people;
    const documents = Array.from({ length: 1_000 }, (_, n) => ({ documentId: `d-${String(n)}` }));
    await people.ok('/v2/organizations/documents/add', { documents });
    await people.add(numbered(2, 'streamed'));
    await api.database.sql(
      `insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member)
       select u.id, 3, d.id, $1, d.org_id, u.ext_id, true from app_user u, document d join organization o on o.id = d.org_id
       where u.api_key_id = $1 and u.ext_id like 'streamed-%' and o.ext_id = $2 and d.ext_id like 'd-%'`,
      [tenant.id, organizationId],
    );
    const answer = await tenant.call('/v1/users/get', {
      organizationId,
      allDocuments: true,
      groupByDocumentId: true,
    });
    expect(answer.headers['transfer-encoding']).toBe('chunked');
    const data = answer.body.result?.data as Grouped;
    expect(Object.keys(data).sort()).toEqual(documents.map(({ documentId }) => documentId).sort());
    for (const users of Object.values(data)) {
      expect(userIds(users)).toEqual(['streamed-00000', 'streamed-00001']);
    }
  });

  it('keeps a document that is called __proto__, and an empty map where there is nobody', async () => {
    const people = await somePeople(tenant);
    const request = { organizationId: people.organizationId, allDocuments: true, groupByDocumentId: true };
    expect((await tenant.call(path, request)).text).toContain('"data":{}');
    await aDocument(tenant, { organizationId: people.organizationId, documentId: '__proto__' });
    await people.add([{ userId: 'u' }], { documentId: '__proto__' });
    expect((await tenant.call(path, request)).text).toContain('"data":{"__proto__":[{"userId":"u"');
  });

  it('forgets documents that are deleted, and those in deleted folders, at once', async () => {
    const people = await somePeople(tenant);
    const { organizationId, folderId, documentId } = people;
    const inFolder = await aDocument(tenant, { organizationId, folderId });
    await people.add([{ userId: 'a' }], { documentId });
    await people.add([{ userId: 'b' }], { documentId: inFolder.documentId });
    const all = { allDocuments: true };
    expect([await people.count(all), userIds(await people.get(all))]).toEqual([2, ['a', 'b']]);
    await people.ok('/v2/organizations/documents/delete', { documentIds: [documentId] });
    expect([await people.count(all), userIds(await people.get(all))]).toEqual([1, ['b']]);
    await people.ok('/v2/organizations/folders/delete', { folderId });
    expect([await people.count(all), await people.get(all)]).toEqual([0, []]);
    const grouped = await people.ok(path, { ...all, groupByDocumentId: true });
    expect(grouped.data).toEqual({});
    expect((await people.ok<unknown[]>('/v2/users/doc/get', {})).data).toEqual([]);
  });

  it('follows a document to its new id, as memberships do', async () => {
    const people = await somePeople(tenant);
    await people.add([{ userId: 'a' }], { documentId: people.documentId });
    // What the flip of a migration writes.
    await api.database.sql(`update document set ext_id = 'moved' where ext_id = $1`, [people.documentId]);
    expect(userIds(await people.get({ documentId: 'moved' }))).toEqual(['a']);
  });
});

describe('involved documents', () => {
  it('are those that a user belongs to or acted in', async () => {
    const people = await somePeople(tenant);
    const { organizationId, documentId } = people;
    const other = await aDocument(tenant, { organizationId, documentId: 'acted' });
    await aDocument(tenant, { organizationId, documentId: 'strange' });
    await people.add([{ userId: 'a' }, { userId: 'b' }]);
    await people.add([{ userId: 'a' }], { documentId });
    await addActivities(tenant, other, activities(3, { actionUser: { userId: 'a' } }));
    await addActivities(
      tenant,
      { organizationId, documentId },
      activities(1, { actionUser: { userId: 'a' } }),
    );
    const request = { userIds: ['a', 'b'] };
    const involved = ['acted', documentId].sort();
    const ids = { ...request, includeInvolvedDocuments: true };
    expect((await people.get(ids)).map(({ involvedDocuments }) => involvedDocuments)).toEqual([involved, []]);
    const counted = await people.get({ ...request, includeInvolvedDocumentsCount: true });
    expect(counted.map(({ involvedDocumentsCount }) => involvedDocumentsCount)).toEqual([2, 0]);
    expect(counted[0]).not.toHaveProperty('involvedDocuments');
    expect((await people.ok<unknown[]>('/v2/users/doc/get', ids)).data).toMatchObject([
      { userId: 'a', documentIds: [documentId], involvedDocuments: involved },
    ]);
  });
});

describe('reading users with their documents', () => {
  it('answers whoever belongs to a document, with all of them, page by page', async () => {
    const { organizationId, ids } = await overlapping();
    const expected = [
      [ids[0], ['a']],
      [ids[1], ['a', 'b']],
      [ids[2], ['a', 'b']],
      [ids[3], ['b']],
      [ids[5], ['d']],
    ];
    type Answer = (UserAnswer & { documentIds: string[] })[];
    for (const pageSize of [1, 3, 100]) {
      const read = await pages<Answer>('/v2/users/doc/get', { organizationId, pageSize });
      expect(read[0]?.message).toBe('Document users retrieved successfully.');
      const users = read.flatMap(({ data }) => data);
      expect(users.map(({ userId, documentIds }) => [userId, documentIds])).toEqual(expected);
    }
    const { data } = await tenant.ok<Answer>('/v2/users/doc/get', {
      organizationId,
      userIds: [ids[3], ids[4]],
    });
    expect(userIds(data)).toEqual([ids[3]]);
  });
});

describe('counting users', () => {
  it('counts the members of each level, and those of any document once', async () => {
    const people = await overlapping();
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

  it('says so in the envelope', async () => {
    const people = await somePeople(tenant);
    expect(await people.ok('/v2/users/count/get', {})).toEqual({
      status: 'success',
      message: 'User count retrieved successfully.',
      data: { count: 0 },
    });
  });
});

describe('reads of users', () => {
  const reads = [path, '/v1/users/get', '/v2/users/doc/get', '/v2/users/count/get'];

  it.each(reads)('%s refuses an organization that does not exist', async (url) => {
    const expected = { http: 404, status: 'NOT_FOUND', message: 'Organization does not exist' };
    await expectRefusal(api, tenant, url, { organizationId: 'nowhere' }, expected);
    await expectIssues(api, tenant, url, {}, { 'data.organizationId': 'organizationId is required.' });
  });

  it('refuse documents and folders that do not exist', async () => {
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
  ] as [string, object, Record<string, string>][])('%s refuses %j', async (url, data, issues) => {
    const { organizationId } = await somePeople(tenant);
    await expectIssues(api, tenant, url, { organizationId, ...data }, issues);
  });
});
