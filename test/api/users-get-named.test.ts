import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import { withLargeTables } from '../support/large-tables.ts';
import { rowsRead, statementsOf } from '../support/statements.ts';
import { pages, somePeople, userIds, type People, type UserResponse } from './users-calls.ts';

/* Lists of a few named users, among documents and a group of 2,000 members in a database of small documents. */

let api: TestApi;
let tenant: TestTenant;
let people: People;

const documents = 30;
const get = '/v2/users/get';
const named = ['user-00003', 'user-01500', 'user-01900', 'nobody'];
const found = named.slice(0, 3);

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
  people = await somePeople(tenant);
  await withLargeTables(api.database, tenant.id, [
    'organization',
    'folder',
    'document',
    'app_user',
    'access',
    'user_group',
    'user_group_member',
  ]);
  await people.ok('/v2/organizations/usergroups/add', { organizationUserGroups: [{ groupId: 'g' }] });
  await api.database.sql(
    `with o as (select id from organization where api_key_id = $1 and ext_id = $2),
       u as (insert into app_user (api_key_id, ext_id)
         select $1, 'user-' || lpad(n::text, 5, '0') from generate_series(0, 1999) n returning id, ext_id),
       d as (insert into document (api_key_id, org_id, ext_id, name)
         select $1, o.id, 'd-' || lpad(n::text, 2, '0'), 'x' from o, generate_series(1, $3::integer) n
         returning id, org_id),
       g as (insert into user_group_member (group_id, user_id, user_ext, api_key_id)
         select g.id, u.id, u.ext_id, $1 from u, o join user_group g on g.org_id = o.id)
     insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member)
     select u.id, 3, d.id, $1, d.org_id, u.ext_id, true from d, u
     union all select u.id, 1, o.id, $1, o.id, u.ext_id, true from o, u`,
    [tenant.id, people.organizationId, documents],
  );
  await api.database.sql('analyze');
});
afterAll(async () => api.close());

const reads = async (data: object, path: string, table: string): Promise<number> =>
  rowsRead(api.database, await statementsOf(() => people.ok(path, data)), table);

describe('a list of named users', () => {
  const level = { documentId: 'd-01', userIds: named };
  const group = { organizationUserGroupIds: ['g'], userIds: named };

  it.each([
    ['of a document', level, 'access'],
    ['of a document, searched', { ...level, searchKey: 'user' }, 'access'],
    ['of a group', group, 'user_group_member'],
    ['of a group, searched', { ...group, searchKey: 'user' }, 'user_group_member'],
  ])('%s reads no other members', async (_, request, table) => {
    expect(userIds(await people.get(request))).toEqual(found);
    const read = await pages<UserResponse[]>(tenant, get, {
      organizationId: people.organizationId,
      ...request,
      pageSize: 1,
    });
    expect(read.flatMap(({ data }) => userIds(data))).toEqual(found);
    // Each is read once more for the role, and a group has its members in the organization.
    expect(await reads(request, get, table)).toBeLessThanOrEqual(4 * named.length);
  });

  it('with their documents reads neither other users nor more than a page examines', async () => {
    const path = '/v2/users/doc/get';
    type Response = (UserResponse & { documentIds: string[] })[];
    const few = await people.ok<Response>(path, { userIds: named });
    expect(few.data.map(({ userId, documentIds }) => [userId, documentIds.length])).toEqual(
      found.map((userId) => [userId, documents]),
    );
    expect(await reads({ userIds: named }, path, 'access')).toBeLessThanOrEqual(named.length * documents);

    await api.database.sql(
      `with o as (select id from organization where api_key_id = $1 and ext_id = $2),
         d as (insert into document (api_key_id, org_id, ext_id, name)
           select $1, o.id, 'many-' || n, 'x' from o, generate_series(1, 12000) n returning id, org_id)
       insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member)
       select u.id, 3, d.id, $1, d.org_id, u.ext_id, true from d, app_user u where u.api_key_id = $1 and u.ext_id = any($3)`,
      [tenant.id, people.organizationId, found],
    );
    await api.database.sql('analyze');
    expect(await reads({ userIds: named }, path, 'access')).toBeLessThanOrEqual(20_000);
    const read = await pages<Response>(tenant, path, {
      organizationId: people.organizationId,
      // Not in the order of the list.
      userIds: named.toReversed(),
    });
    expect(
      read.flatMap(({ data }) => data.map(({ userId, documentIds }) => [userId, documentIds.length])),
    ).toEqual(found.map((userId) => [userId, documents + 12_000]));
  });
});
