import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { allRows } from '../support/rows.ts';
import { accessRows, grant, numbered, somePeople, userIds } from './users-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

describe('adding users', () => {
  it('returns an outcome per id, and stores every member and nothing else', async () => {
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

  it('defaults to empty name and e-mail, no role, and the initial of the name', async () => {
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

  it('adds members at exactly the requested level', async () => {
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

  it('updates existing users: keeps absent members, removes null metadata, and changes the role only when sent', async () => {
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

  it('shares the profile among organizations of the key, and not with another key', async () => {
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

  it('keeps a grant when it adds a membership', async () => {
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

  it('writes nothing for unchanged users', async () => {
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

  it('accepts 1,000 users at once, deduplicates ids, and uses the last of two records', async () => {
    const people = await somePeople(tenant);
    const thousand = numbered(1_000, freshId('many'));
    const added = await people.add([...thousand, { ...thousand[0], name: 'last' }]);
    expect(Object.keys(added.data)).toHaveLength(1_000);
    expect(await people.count()).toBe(1_000);
    expect((await people.get({ pageSize: 1 }))[0]?.name).toBe('last');
  });

  it('keeps ids that are property names of every object', async () => {
    const people = await somePeople(tenant);
    const strange = ['__proto__', 'constructor', 'toString'];
    const added = await people.add(strange.map((userId) => ({ userId })));
    expect(Object.keys(added.data)).toEqual(strange);
    expect(userIds(await people.get())).toEqual([...strange].sort());
  });

  it('adds the same users from concurrent calls in any order', async () => {
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

describe('adding users under /v1', () => {
  it('works as under /v2, but ignores roles and lists them in X-Ignored-Members', async () => {
    const people = await somePeople(tenant);
    const userId = freshId('user');
    const response = await tenant.call('/v1/users/add', {
      organizationId: people.organizationId,
      users: [{ userId, name: 'Ada', accessRole: 7 }],
    });
    expect(response.status).toBe(200);
    expect(response.headers['x-ignored-members']).toBe(encodeURIComponent('users[0].accessRole'));
    expect(await people.get()).toMatchObject([{ userId, name: 'Ada', accessRole: null }]);
    await people.add([{ userId, accessRole: 'viewer' }]);
    await tenant.ok('/v1/users/add', {
      organizationId: people.organizationId,
      users: [{ userId, accessRole: 'editor' }],
    });
    expect(await people.get()).toMatchObject([{ userId, accessRole: 'viewer' }]);
  });

  it('accepts `context` without effect', async () => {
    const people = await somePeople(tenant);
    const before = await allRows(api.database);
    await people.add([{ userId: freshId('user') }], { context: { access: { any: ['thing'] } } });
    const after = await allRows(api.database);
    expect(JSON.stringify(after)).not.toContain('"thing"');
    expect(after['access']).toHaveLength((before['access'] ?? []).length + 1);
  });
});
