import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aTenant, freshId, type TestTenant } from '../support/factories.ts';
import {
  expectIssues,
  expectRefusal,
  fence,
  fenced,
  numbered,
  somePeople,
  userIds,
  type People,
} from './users-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

const missing = (id: string) => ({
  success: false,
  id,
  organizationUserGroupId: 'g',
  message: 'User does not exist.',
  code: 'not-found',
});

const groupsOf = async (people: People) =>
  api.database.sql(
    `select g.ext_id, g.name from user_group g join organization o on o.id = g.org_id where o.ext_id = $1 order by 1`,
    [people.organizationId],
  );

/** Users, and a group with some of them. */
async function aGroup(...members: string[]): Promise<People> {
  const people = await somePeople(tenant);
  await people.ok('/v2/organizations/usergroups/add', {
    organizationUserGroups: [{ organizationUserGroupId: 'g' }],
  });
  if (members.length === 0) return people;
  await people.add(members.map((userId) => ({ userId })));
  const sent = { organizationUserGroupId: 'g', userIds: members };
  await people.ok('/v2/organizations/usergroups/users/add', sent);
  return people;
}

const inGroup = async (people: People) => userIds(await people.get({ organizationUserGroupIds: ['g'] }));

describe.each(['/v1', '/v2'])('user groups under %s', (version) => {
  const add = `${version}/organizations/usergroups/add`;
  const join = `${version}/organizations/usergroups/users/add`;
  const leave = `${version}/organizations/usergroups/users/delete`;

  it('are added, named by their id by default, and renamed when they exist', async () => {
    const people = await somePeople(tenant);
    const first = [{ organizationUserGroupId: 'a', groupName: 'Ants' }, { groupId: 'b' }];
    expect(await people.ok(add, { organizationUserGroups: first })).toEqual({
      status: 'success',
      message: 'Organization user group(s) added successfully.',
      data: {
        a: { success: true, id: 'a', message: 'Organization user group added.' },
        b: { success: true, id: 'b', message: 'Organization user group added.' },
      },
      failedCount: 0,
    });
    await people.ok(add, {
      organizationUserGroups: [{ groupId: 'a' }, { groupId: 'b', groupName: 'Bees' }],
    });
    expect(await groupsOf(people)).toEqual([
      { ext_id: 'a', name: 'Ants' },
      { ext_id: 'b', name: 'Bees' },
    ]);
  });

  it('are added with their organization when the flag is set', async () => {
    const organizationId = freshId('organization');
    const data = { organizationId, organizationUserGroups: [{ groupId: 'g' }], createOrganization: true };
    expect((await tenant.ok(add, data)).failedCount).toBe(0);
    expect((await tenant.ok<unknown[]>('/v2/organizations/get', {})).data).toContainEqual({
      id: organizationId,
      organizationName: organizationId,
      disabled: false,
    });
  });

  it('accept members of the organization and no other user', async () => {
    const people = await aGroup();
    const { documentId } = people;
    const [member, guest, nobody] = [freshId('member'), freshId('guest'), freshId('nobody')];
    await people.add([{ userId: member }]);
    await people.add([{ userId: guest }], { documentId });
    const sent = { organizationUserGroupId: 'g', userIds: [member, guest, nobody, member] };
    const added = await people.ok(join, sent);
    expect(added).toEqual({
      status: 'success',
      message: 'User(s) added to organization user group successfully.',
      data: {
        [member]: {
          success: true,
          id: member,
          message: 'User added to organization user group.',
          organizationUserGroupId: 'g',
        },
        [guest]: missing(guest),
        [nobody]: missing(nobody),
      },
      failedCount: 2,
    });
    // Adding a user who is already in the group succeeds.
    expect((await people.ok(join, sent)).failedCount).toBe(2);
    expect(await inGroup(people)).toEqual([member]);
    expect(await api.database.sql('select 1 from app_user where ext_id = $1', [nobody])).toEqual([]);
  });

  it('lose the named users, and fail only for a user who is not in the group', async () => {
    const [a, b, nobody] = [freshId('a'), freshId('b'), freshId('nobody')];
    const people = await aGroup(a, b);
    expect(await people.ok(leave, { organizationUserGroupId: 'g', userIds: [a, nobody] })).toEqual({
      status: 'success',
      message: 'User(s) deleted from organization user group successfully.',
      data: {
        [a]: {
          success: true,
          id: a,
          message: 'User deleted from organization user group.',
          organizationUserGroupId: 'g',
        },
        [nobody]: missing(nobody),
      },
      failedCount: 1,
    });
    expect(await inGroup(people)).toEqual([b]);
    expect(userIds(await people.get())).toEqual([a, b].sort());
  });

  it('lose all users with deleteAll, and return their number', async () => {
    const ids = numbered(3, freshId('m')).map(({ userId }) => userId);
    const people = await aGroup(...ids);
    const emptied = await people.ok(leave, { organizationUserGroupId: 'g', deleteAll: true });
    expect(emptied).toEqual({
      status: 'success',
      message: 'User(s) deleted from organization user group successfully.',
      data: {},
      failedCount: 0,
      deletedCount: 3,
    });
    expect(await inGroup(people)).toEqual([]);
    expect(await groupsOf(people)).toHaveLength(1);
  });

  it('are not found in another organization', async () => {
    const a = freshId('a');
    const people = await aGroup(a);
    const other = await somePeople(tenant);
    await other.add([{ userId: a }]);
    await expectRefusal(
      api,
      tenant,
      join,
      { organizationId: other.organizationId, organizationUserGroupId: 'g', userIds: [a] },
      { http: 404, status: 'NOT_FOUND', message: 'Organization user group does not exist.' },
    );
    expect(await other.get({ organizationUserGroupIds: ['g'] })).toEqual([]);
    expect(await inGroup(people)).toEqual([a]);
  });

  it('reject missing resources and write nothing', async () => {
    const people = await aGroup();
    const { organizationId } = people;
    const notFound = { http: 404, status: 'NOT_FOUND' };
    const groups = [{ groupId: 'x' }];
    await expectRefusal(
      api,
      tenant,
      add,
      { organizationId: 'nowhere', organizationUserGroups: groups },
      {
        ...notFound,
        message:
          'Organization does not exist. Add it with POST /v2/organizations/add or send createOrganization: true.',
      },
    );
    for (const path of [join, leave]) {
      const sent = { organizationUserGroupId: 'x', userIds: ['u'] };
      const group = { ...notFound, message: 'Organization user group does not exist.' };
      await expectRefusal(api, tenant, path, { organizationId, ...sent }, group);
      const organization = { ...notFound, message: 'Organization does not exist' };
      await expectRefusal(api, tenant, path, { organizationId: 'nowhere', ...sent }, organization);
    }
  });

  it('reject malformed input and write nothing', async () => {
    const { organizationId } = await aGroup();
    const refused = async (path: string, data: object, expected: Record<string, string>) =>
      expectIssues(api, tenant, path, { organizationId, ...data }, expected);
    const member = 'organizationUserGroups[0].organizationUserGroupId';
    await refused(add, { organizationUserGroups: [{}] }, { [`data.${member}`]: `${member} is required.` });
    await refused(
      add,
      { organizationUserGroups: [{ organizationUserGroupId: 'a', groupId: 'a' }] },
      { [`data.${member}`]: `${member} and groupId exclude each other.` },
    );
    await refused(
      add,
      { organizationUserGroups: [] },
      { 'data.organizationUserGroups': 'organizationUserGroups must hold 1 to 1000 items, not 0.' },
    );
    const group = { organizationUserGroupId: 'g' };
    await refused(join, group, { 'data.userIds': 'userIds is required.' });
    const none = { data: 'Exactly one of userIds or deleteAll: true must be provided.' };
    await refused(leave, group, none);
    await refused(leave, { ...group, deleteAll: false }, none);
    await refused(
      leave,
      { ...group, userIds: ['u'], deleteAll: true },
      { 'data.userIds': 'userIds and deleteAll exclude each other.' },
    );
    for (const path of [join, leave]) {
      await refused(
        path,
        { ...group, userIds: [] },
        { 'data.userIds': 'userIds must hold 1 to 1000 items, not 0.' },
      );
    }
  });

  it('reject the whole call while one of its users is under deletion', async () => {
    const gone = freshId('gone');
    const people = await aGroup(gone);
    const jobId = await fence(api, tenant, gone, people.organizationId);
    const { organizationId } = people;
    for (const path of [join, leave]) {
      const data = { organizationId, organizationUserGroupId: 'g', userIds: [gone] };
      await expectRefusal(api, tenant, path, data, fenced(gone, jobId));
    }
  });
});

describe('a user removed from the organization while concurrent calls add them to a group', () => {
  it('is never in the group without being a member', async () => {
    const userId = freshId('user');
    const people = await aGroup();
    for (let round = 0; round < 10; round += 1) {
      await people.add([{ userId }]);
      await Promise.all([
        people.ok('/v2/organizations/usergroups/users/add', {
          organizationUserGroupId: 'g',
          userIds: [userId],
        }),
        people.ok('/v2/users/delete', { userIds: [userId] }),
      ]);
      const left = await api.database.sql('select 1 from user_group_member where user_ext = $1', [userId]);
      expect(left).toEqual([]);
    }
  });
});
