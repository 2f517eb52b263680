import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { allRows } from '../support/rows.ts';
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

const path = '/v2/users/add';

describe('adding users', () => {
  it('answers each by its id, and reads back every member and nothing else', async () => {
    const people = await somePeople(tenant);
    const ada = freshId('ada');
    const sent = {
      userId: ada,
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      photoUrl: 'https://example.com/ada.png',
      color: '#fff',
      textColor: '#000',
      type: 'signedIn',
      plan: 'gold',
      isAdmin: true,
      isReadOnly: false,
      isAnonymous: false,
      isGuest: false,
      team: { name: 'engines', floors: [1, null] },
    };
    const added = await people.add([{ ...sent, accessRole: 'viewer' }]);
    expect(added).toEqual({
      status: 'success',
      message: 'User(s) processed successfully.',
      data: { [ada]: { success: true, id: ada, message: 'User added.' } },
      failedCount: 0,
    });
    expect(await people.get()).toEqual([{ ...sent, initial: 'A', accessRole: 'viewer' }]);
  });

  it('leaves name and e-mail empty, the role open and the initial to the name', async () => {
    const people = await somePeople(tenant);
    const [bare, named, own] = [freshId('a'), freshId('b'), freshId('c')];
    await people.add([
      { userId: bare },
      { userId: named, name: ' élise ', email: '' },
      { userId: own, name: 'Grace', initial: 'GH' },
    ]);
    expect(await people.get()).toEqual([
      { userId: bare, name: '', email: '', initial: '', accessRole: null },
      { userId: named, name: ' élise ', email: '', initial: 'É', accessRole: null },
      { userId: own, name: 'Grace', email: '', initial: 'GH', accessRole: null },
    ]);
  });

  it('makes members of the level named, and of that alone', async () => {
    const people = await somePeople(tenant);
    const { documentId, folderId } = people;
    const [a, b, c] = [freshId('a'), freshId('b'), freshId('c')];
    await people.add([{ userId: a }]);
    await people.add([{ userId: b, accessRole: 'editor' }], { documentId });
    await people.add([{ userId: c, accessRole: 'viewer' }], { folderId });
    expect(userIds(await people.get())).toEqual([a]);
    expect(await people.get({ documentId })).toMatchObject([{ userId: b, accessRole: 'editor' }]);
    expect(await people.get({ folderId })).toMatchObject([{ userId: c, accessRole: 'viewer' }]);
    expect(await accessRows(api, tenant, c)).toEqual([
      { user_ext: c, kind: 2, is_member: true, member_role: 1, grant_role: null },
    ]);
  });

  it('updates who is there: what is absent stays, null removes free members, the role changes when it is sent', async () => {
    const people = await somePeople(tenant);
    const userId = freshId('user');
    await people.add([
      { userId, name: 'Ada', email: 'ada@example.com', team: 'x', floor: 3, accessRole: 'viewer' },
    ]);
    await people.add([{ userId, name: 'Ada L', team: null, city: 'London' }]);
    const after = {
      userId,
      name: 'Ada L',
      email: 'ada@example.com',
      initial: 'A',
      floor: 3,
      city: 'London',
    };
    expect(await people.get()).toEqual([{ ...after, accessRole: 'viewer' }]);
    await people.add([{ userId, accessRole: 'editor' }]);
    expect(await people.get()).toEqual([{ ...after, accessRole: 'editor' }]);
  });

  it('shows a person by one name in every organization of the key, and in none of another key', async () => {
    const userId = freshId('user');
    const [here, there] = [await somePeople(tenant), await somePeople(tenant)];
    const other = await aTenant(api);
    const elsewhere = await somePeople(other);
    await elsewhere.add([{ userId, name: 'Stranger' }]);
    await here.add([{ userId, name: 'First' }]);
    await there.add([{ userId, name: 'Second' }]);
    expect((await here.get()).map(({ name }) => name)).toEqual(['Second']);
    expect((await elsewhere.get()).map(({ name }) => name)).toEqual(['Stranger']);
  });

  it('keeps a grant beside the membership', async () => {
    const people = await somePeople(tenant);
    const { documentId } = people;
    const userId = freshId('user');
    await people.add([{ userId }]);
    await grant(api, tenant, userId, documentId);
    await people.add([{ userId, accessRole: 'viewer' }], { documentId });
    expect(await accessRows(api, tenant, userId)).toMatchObject([
      { kind: 1 },
      { kind: 3, is_member: true, member_role: 1, grant_role: 2 },
    ]);
  });

  it('writes nothing for those who are as they were sent', async () => {
    const people = await somePeople(tenant);
    const users = [{ userId: freshId('user'), name: 'Ada', team: 'x', accessRole: 'viewer' }];
    await people.add(users);
    const before = await api.database.sql(
      `select xmin::text, ctid::text from app_user union all select xmin::text, ctid::text from access`,
    );
    await people.add(users);
    await people.add([{ userId: users[0]?.userId }]);
    const after = await api.database.sql(
      `select xmin::text, ctid::text from app_user union all select xmin::text, ctid::text from access`,
    );
    expect(after).toEqual(before);
  });

  it('takes a thousand at once, counts an id once, and the last of two records', async () => {
    const people = await somePeople(tenant);
    const thousand = numbered(1_000, freshId('many'));
    const added = await people.add([...thousand, { ...thousand[0], name: 'last' }]);
    expect(Object.keys(added.data)).toHaveLength(1_000);
    expect(await people.count()).toBe(1_000);
    expect((await people.get({ pageSize: 1 }))[0]?.name).toBe('last');
  });

  it('keeps ids that are names of members of every object', async () => {
    const people = await somePeople(tenant);
    const strange = ['__proto__', 'constructor', 'toString'];
    const added = await people.add(strange.map((userId) => ({ userId })));
    expect(Object.keys(added.data)).toEqual(strange);
    expect(userIds(await people.get())).toEqual([...strange].sort());
  });

  it('adds the same people from many calls at once, whatever their order', async () => {
    const people = await somePeople(tenant);
    const users = numbered(50, freshId('racing'));
    const orders = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? users : users.toReversed()));
    await Promise.all(
      orders.map((order, index) => people.add(order.map((user) => ({ ...user, name: `n${String(index)}` })))),
    );
    expect(await people.count()).toBe(50);
    expect(new Set((await people.get()).map(({ name }) => name)).size).toBe(1);
  });
});

describe('create flags of adding users', () => {
  it('make organization, document and folder, named by their ids', async () => {
    const organizationId = freshId('organization');
    const users = [{ userId: freshId('user') }];
    const flags = { createOrganization: true, createDocument: true, createFolder: true };
    await tenant.ok(path, { organizationId, documentId: 'd', users, ...flags });
    await tenant.ok(path, { organizationId, folderId: 'f', users, ...flags });
    await tenant.ok(path, { organizationId, folderId: 'g', parentFolderId: 'f', users, ...flags });
    // It is there: it stays where it is.
    await tenant.ok(path, { organizationId, folderId: 'g', parentFolderId: 'root', users, ...flags });
    const { data: folders } = await tenant.ok<unknown[]>('/v2/organizations/folders/get', { organizationId });
    expect(folders).toMatchObject([
      { folderId: 'f', folderName: 'f', parentFolderId: 'root' },
      { folderId: 'g', folderName: 'g', parentFolderId: 'f' },
    ]);
    const { data: documents } = await tenant.ok('/v2/organizations/documents/get', { organizationId });
    expect(documents).toMatchObject([{ id: 'd', documentName: 'd' }]);
  });

  it('are named by the refusal of what is missing, and nothing is written', async () => {
    const { organizationId } = await somePeople(tenant);
    const users = [{ userId: freshId('user') }];
    const notFound = { http: 404, status: 'NOT_FOUND' };
    await expectRefusal(
      api,
      tenant,
      path,
      { organizationId: 'nowhere', users },
      {
        ...notFound,
        message:
          'Organization does not exist. Add it with POST /v2/organizations/add or send createOrganization: true.',
      },
    );
    await expectRefusal(
      api,
      tenant,
      path,
      { organizationId, documentId: 'nowhere', users },
      {
        ...notFound,
        message:
          'Document does not exist. Add it with POST /v2/organizations/documents/add or send createDocument: true.',
      },
    );
    await expectRefusal(
      api,
      tenant,
      path,
      { organizationId, folderId: 'nowhere', users },
      {
        ...notFound,
        message:
          'Folder does not exist. Add it with POST /v2/organizations/folders/add or send createFolder: true.',
      },
    );
    const lost = { organizationId, folderId: 'new', parentFolderId: 'nowhere', createFolder: true, users };
    await expectRefusal(api, tenant, path, lost, { ...notFound, message: 'Parent folder does not exist.' });
  });
});

describe('adding users is refused, and writes nothing,', () => {
  it('while a user is under deletion: the whole call, with users and job', async () => {
    const people = await somePeople(tenant);
    const [gone, free] = [freshId('gone'), freshId('free')];
    await people.add([{ userId: gone }]);
    const jobId = await fence(api, tenant, gone, people.organizationId);
    const data = { organizationId: people.organizationId, users: [{ userId: free }, { userId: gone }] };
    const refusal = await expectRefusal(api, tenant, path, data, fenced(gone, jobId));
    expect(refusal.details).not.toHaveProperty('issues');
    // The fence holds in the organization named: another one takes them.
    const elsewhere = await somePeople(tenant);
    expect((await elsewhere.add(data.users)).failedCount).toBe(0);
  });

  it.each([
    [
      'no organization',
      { users: [{ userId: 'u' }] },
      { 'data.organizationId': 'organizationId is required.' },
    ],
    ['no users', { organizationId: 'o' }, { 'data.users': 'users is required.' }],
    [
      'an empty list',
      { organizationId: 'o', users: [] },
      { 'data.users': 'users must hold 1 to 1000 items, not 0.' },
    ],
    [
      'too many',
      { organizationId: 'o', users: numbered(1_001) },
      { 'data.users': 'users must hold 1 to 1000 items, not 1001.' },
    ],
    [
      'a user without an id',
      { organizationId: 'o', users: [{ name: 'x' }] },
      { 'data.users[0].userId': 'users[0].userId is required.' },
    ],
    [
      'document and folder at once',
      { organizationId: 'o', documentId: 'd', folderId: 'f', users: [{ userId: 'u' }] },
      { 'data.documentId': 'documentId and folderId exclude each other.' },
    ],
    [
      'the root, which has no members',
      { organizationId: 'o', folderId: 'root', users: [{ userId: 'u' }] },
      { 'data.folderId': 'folderId must not be root.' },
    ],
    [
      'wrong members, all of them told',
      {
        organizationId: 'o',
        users: [
          {
            userId: 'u',
            name: null,
            email: 'nobody',
            photoUrl: 'x'.repeat(2_049),
            isAdmin: 'yes',
            accessRole: 'owner',
            organizationId: 'o',
            $where: 1,
          },
        ],
      },
      {
        'data.users[0].name': 'users[0].name must not be null.',
        'data.users[0].email': 'users[0].email must be a valid e-mail address.',
        'data.users[0].photoUrl': 'users[0].photoUrl must be at most 2048 characters.',
        'data.users[0].isAdmin': 'users[0].isAdmin must be a boolean.',
        'data.users[0].accessRole': 'users[0].accessRole must be one of: viewer, editor.',
        'data.users[0].organizationId': 'Unknown member: users[0].organizationId.',
        'data.users[0].$where': 'Unknown member: users[0].$where.',
      },
    ],
    [
      'free metadata beyond 16 KiB',
      { organizationId: 'o', users: [{ userId: 'u', note: 'x'.repeat(16_384) }] },
      { 'data.users[0]': 'users[0] must hold at most 16 KiB of free metadata.' },
    ],
    [
      'a member nobody knows',
      { organizationId: 'o', users: [{ userId: 'u' }], createUser: true },
      { 'data.createUser': 'Unknown member: createUser.' },
    ],
  ] as [string, object, Record<string, string>][])('for %s', async (_, data, issues) => {
    await expectIssues(api, tenant, path, data, issues);
  });
});

describe('the older path of adding users', () => {
  it('does the same, passes roles over whatever they hold, and says so', async () => {
    const people = await somePeople(tenant);
    const userId = freshId('user');
    const answer = await tenant.call('/v1/users/add', {
      organizationId: people.organizationId,
      users: [{ userId, name: 'Ada', accessRole: 7 }],
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['x-ignored-members']).toBe(encodeURIComponent('users[0].accessRole'));
    expect(await people.get()).toMatchObject([{ userId, name: 'Ada', accessRole: null }]);
    await people.add([{ userId, accessRole: 'viewer' }]);
    await tenant.ok('/v1/users/add', {
      organizationId: people.organizationId,
      users: [{ userId, accessRole: 'editor' }],
    });
    expect(await people.get()).toMatchObject([{ userId, accessRole: 'viewer' }]);
  });

  it('accepts the context of clients of the family, without effect', async () => {
    const people = await somePeople(tenant);
    const before = await allRows(api.database);
    await people.add([{ userId: freshId('user') }], { context: { access: { any: ['thing'] } } });
    const after = await allRows(api.database);
    expect(JSON.stringify(after)).not.toContain('"thing"');
    expect(after['access']).toHaveLength((before['access'] ?? []).length + 1);
  });
});
