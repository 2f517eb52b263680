import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { grant, numbered, pages, somePeople, userIds, type UserResponse } from './users-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

const path = '/v2/users/get';

describe('reading the members of a level', () => {
  it('returns them in byte order of ids, page by page, without users who only have a grant', async () => {
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
      const read = await pages<UserResponse[]>(tenant, path, { organizationId, documentId, pageSize });
      expect(read.flatMap(({ data }) => userIds(data))).toEqual(expected);
      for (const { data } of read) expect(data.length).toBeLessThanOrEqual(pageSize);
    }
  });

  it('returns the members among the requested ids', async () => {
    const people = await somePeople(tenant);
    await people.add([{ userId: 'a' }, { userId: 'b' }, { userId: 'c' }]);
    await people.add([{ userId: 'd' }], { documentId: people.documentId });
    expect(userIds(await people.get({ userIds: ['c', 'a', 'd', 'nobody'] }))).toEqual(['a', 'c']);
  });

  it('finds substrings of name, e-mail or id, case-insensitively and without wildcards', async () => {
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

  it('filters by groups, and returns no user for an unknown group', async () => {
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
    const read = await pages<UserResponse[]>(tenant, path, { organizationId, ...both, pageSize: 1 });
    expect(read.flatMap(({ data }) => userIds(data))).toEqual(['a', 'b', 'd']);
  });

  it('returns everything under v1 without a page size, and pages of 1,000 under v2', async () => {
    const people = await somePeople(tenant);
    const { organizationId } = people;
    const prefix = freshId('everything');
    await people.add(numbered(1_000, prefix));
    await people.add([{ userId: 'zz' }]);
    const whole = await tenant.ok<UserResponse[]>('/v1/users/get', { organizationId });
    expect(whole.data).toHaveLength(1_001);
    expect(whole.nextPageToken).toBeUndefined();
    const first = await tenant.ok<UserResponse[]>(path, { organizationId });
    expect(first.data).toHaveLength(1_000);
    expect(first.nextPageToken).toBeDefined();
  });
});
