import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import {
  activities,
  addActivityLogs,
  aDocument,
  aTenant,
  withActivityLogs,
  type TestTenant,
} from '../support/factories.ts';
import { rowsRead, statementsOf } from '../support/statements.ts';
import { numbered, pages, somePeople, userIds, type UserResponse, overlapping } from './users-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await withActivityLogs(await aTenant(api));
});
afterAll(async () => api.close());

const path = '/v2/users/get';
type Page = {
  readonly pageSize: number;
  readonly searchKey?: string;
  readonly byId?: boolean;
  readonly later?: boolean;
};
type Grouped = Readonly<Record<string, readonly UserResponse[]>>;

describe('reading the users of all documents', () => {
  it('returns each user once, in order, page by page, without a role', async () => {
    const people = await overlapping(tenant);
    const { organizationId, ids } = people;
    const belonging = [0, 1, 2, 3, 5].map((at) => ids[at]);
    for (const pageSize of [1, 2, 5]) {
      const data = { organizationId, allDocuments: true, pageSize };
      const read = await pages<UserResponse[]>(tenant, path, data);
      expect(read.flatMap(({ data: users }) => userIds(users))).toEqual(belonging);
    }
    const [first] = await people.get({ allDocuments: true });
    expect(first).toEqual({ userId: ids[0], name: 'Name 0', email: '', initial: 'N' });
    expect(userIds(await people.get({ allDocuments: true, searchKey: 'name 3' }))).toEqual([ids[3]]);
    expect(userIds(await people.get({ allDocuments: true, userIds: [ids[4], ids[5]] }))).toEqual([ids[5]]);
  });

  it('returns users grouped by document, with pages ordered by document, then user', async () => {
    const { organizationId, ids } = await overlapping(tenant);
    const request = { organizationId, allDocuments: true, groupByDocumentId: true };
    const expected = { a: [0, 1, 2], b: [1, 2, 3], d: [5] };
    for (const pageSize of [1, 2, 3, 4, 7, 8]) {
      const read: Record<string, string[]> = {};
      for (const { data } of await pages<Grouped>(tenant, path, { ...request, pageSize })) {
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

  it('continues after the longest ids with a token below the 8,000 characters of docs/versioning.md', async () => {
    const people = await somePeople(tenant);
    const { organizationId } = people;
    const longest = (sign: string, last: string): string => `${sign.repeat(999)}${last}`;
    const { documentId } = await aDocument(tenant, { organizationId, documentId: longest('"', 'd') });
    const users = ['a', 'b'].map((last) => ({ userId: longest('\\', last) }));
    await people.add(users, { documentId });
    const request = { organizationId, allDocuments: true, groupByDocumentId: true, pageSize: 1 };
    const read = await pages<Grouped>(tenant, path, request);
    expect(read.map(({ data }) => userIds(data[documentId] ?? []))).toEqual(
      users.map(({ userId }) => [userId]),
    );
    const length = read[0]?.nextPageToken?.length ?? 0;
    expect(length).toBeGreaterThan(5_000);
    expect(length).toBeLessThan(8_000);
  });

  it('streams a complete map of 1,000 lists', async () => {
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
    const response = await tenant.call('/v1/users/get', {
      organizationId,
      allDocuments: true,
      groupByDocumentId: true,
    });
    expect(response.headers['transfer-encoding']).toBe('chunked');
    const data = response.body.result?.data as Grouped;
    expect(Object.keys(data).sort()).toEqual(documents.map(({ documentId }) => documentId).sort());
    for (const users of Object.values(data)) {
      expect(userIds(users)).toEqual(['streamed-00000', 'streamed-00001']);
    }
  });

  it.each([
    ['a page', { pageSize: 10 }, 100],
    ['a later page', { pageSize: 10, later: true }, 100],
    ['a search', { pageSize: 10, searchKey: 'nobody' }, 20_100],
    ['users by id', { pageSize: 10, byId: true }, 100],
    ['a later page of users by id', { pageSize: 10, byId: true, later: true }, 100],
  ])('reads few more rows than it examines: %s', async (_, { byId, later, ...request }: Page, rows) => {
    const people = await somePeople(tenant);
    const all = {
      ...request,
      ...(byId === true && { userIds: ['nobody', `${people.organizationId}7`] }),
      organizationId: people.organizationId,
      allDocuments: true,
      groupByDocumentId: true,
    };
    await api.database.sql(
      `with o as (select id from organization where api_key_id = $1 and ext_id = $2),
         d as (insert into document (api_key_id, org_id, ext_id, name)
           select $1, o.id, 'd-' || n, 'x' from o, generate_series(1, 60) n returning id, org_id),
         u as (insert into app_user (api_key_id, ext_id)
           select $1, $2 || n from generate_series(1, 500) n returning id, ext_id)
       insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member)
       select u.id, 3, d.id, $1, d.org_id, u.ext_id, true from d, u`,
      [tenant.id, people.organizationId],
    );
    const { nextPageToken } = await tenant.ok(path, all);
    const sent = await statementsOf(async () =>
      tenant.ok(path, { ...all, ...(later === true && { pageToken: nextPageToken }) }),
    );
    const read = await rowsRead(api.database, sent, 'access');
    expect(read).toBeGreaterThan(10);
    expect(read).toBeLessThanOrEqual(rows);
  });

  it('finds the documents of few of 1,000 users by id, which PostgreSQL 15 examines in several pages', async () => {
    const { organizationId, add } = await somePeople(tenant);
    const documents = Array.from({ length: 250 }, (_, n) => ({ documentId: `d-${String(n + 1_000)}` }));
    await tenant.ok('/v2/organizations/documents/add', { organizationId, documents });
    const named = numbered(1_000);
    const found = named.slice(7, 9);
    await add(found, { documentId: 'd-1000' });
    await add(found, { documentId: 'd-1249' });
    const read = await pages<Grouped>(tenant, path, {
      organizationId,
      allDocuments: true,
      groupByDocumentId: true,
      userIds: named.map(({ userId }) => userId).reverse(),
    });
    const entries = read.flatMap(({ data }) =>
      Object.entries(data).map(([id, users]) => [id, userIds(users)]),
    );
    const ids = found.map(({ userId }) => userId);
    expect(entries).toEqual([
      ['d-1000', ids],
      ['d-1249', ids],
    ]);
  });

  it('returns a document named __proto__, and an empty map without members', async () => {
    const people = await somePeople(tenant);
    const request = { organizationId: people.organizationId, allDocuments: true, groupByDocumentId: true };
    expect((await tenant.call(path, request)).text).toContain('"data":{}');
    await aDocument(tenant, { organizationId: people.organizationId, documentId: '__proto__' });
    await people.add([{ userId: 'u' }], { documentId: '__proto__' });
    expect((await tenant.call(path, request)).text).toContain('"data":{"__proto__":[{"userId":"u"');
  });

  it('omits deleted documents, and those in deleted folders, at once', async () => {
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

  it('follows a document to its new id', async () => {
    const people = await somePeople(tenant);
    await people.add([{ userId: 'a' }], { documentId: people.documentId });
    // Writes what the flip of a migration writes.
    await api.database.sql(`update document set ext_id = 'moved' where ext_id = $1`, [people.documentId]);
    expect(userIds(await people.get({ documentId: 'moved' }))).toEqual(['a']);
  });
});

describe('involved documents', () => {
  it('are those that a user is a member of or has activity logs in', async () => {
    const people = await somePeople(tenant);
    const { organizationId, documentId } = people;
    const other = await aDocument(tenant, { organizationId, documentId: 'acted' });
    await aDocument(tenant, { organizationId, documentId: 'strange' });
    await people.add([{ userId: 'a' }, { userId: 'b' }]);
    await people.add([{ userId: 'a' }], { documentId });
    await addActivityLogs(tenant, other, activities(3, { actionUser: { userId: 'a' } }));
    await addActivityLogs(
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
    const alone = { ...request, includeInvolvedDocuments: false, includeInvolvedDocumentsCount: true };
    expect(await people.get(alone)).toEqual(counted);
    expect((await people.ok<unknown[]>('/v2/users/doc/get', ids)).data).toMatchObject([
      { userId: 'a', documentIds: [documentId], involvedDocuments: involved },
    ]);
  });
});

describe('reading users with their documents', () => {
  type Response = (UserResponse & { documentIds: string[] })[];

  it('returns members of any document with all their documents, page by page', async () => {
    const { organizationId, ids } = await overlapping(tenant);
    const expected = [
      [ids[0], ['a']],
      [ids[1], ['a', 'b']],
      [ids[2], ['a', 'b']],
      [ids[3], ['b']],
      [ids[5], ['d']],
    ];
    for (const pageSize of [1, 3, 100]) {
      const read = await pages<Response>(tenant, '/v2/users/doc/get', { organizationId, pageSize });
      expect(read[0]?.message).toBe('Document users retrieved successfully.');
      const users = read.flatMap(({ data }) => data);
      expect(users.map(({ userId, documentIds }) => [userId, documentIds])).toEqual(expected);
    }
    const { data } = await tenant.ok<Response>('/v2/users/doc/get', {
      organizationId,
      userIds: [ids[3], ids[4]],
    });
    expect(userIds(data)).toEqual([ids[3]]);
  });

  it('returns all documents of a user after others’ grants that fill most of a page', async () => {
    const { organizationId, add } = await somePeople(tenant);
    await add(['bot-1', 'carol', 'bot-2', 'dave'].map((userId) => ({ userId })));
    await api.database.sql(
      `with o as (select id from organization where api_key_id = $1 and ext_id = $2),
         made as (
           insert into document (api_key_id, org_id, ext_id, name)
           select $1, o.id, 'd-' || n, 'x' from o, generate_series(1, 20000) n returning id, org_id, ext_id),
         held (user_ext, is_member, rows) as (
           values ('bot-1', false, 19999), ('carol', true, 2), ('bot-2', false, 100), ('dave', true, 20000))
       insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member, grant_role)
       select u.id, 3, m.id, $1, m.org_id, u.ext_id, h.is_member, case when h.is_member then null else 2 end
       from held h join app_user u on u.api_key_id = $1 and u.ext_id = h.user_ext
         join made m on substr(m.ext_id, 3)::integer <= h.rows`,
      [tenant.id, organizationId],
    );
    for (const [bot, user, documents] of [
      ['bot-1', 'carol', 2],
      ['bot-2', 'dave', 20_000],
    ] as const) {
      const data = { organizationId, userIds: [bot, user] };
      const read = await pages<Response>(tenant, '/v2/users/doc/get', data);
      const found = read.flatMap((page) => page.data);
      expect(found.map(({ userId, documentIds }) => [userId, documentIds.length])).toEqual([
        [user, documents],
      ]);
    }
  });
});
