import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import { withLargeTables } from '../support/large-tables.ts';
import { explain, rowsRead, statementsOf } from '../support/statements.ts';
import { pages, somePeople, userIds, type People, type UserResponse } from './users-calls.ts';

/* More documents than one page examines: `many` is a member of each, `granted` only of the last one, `z` of one. */

let api: TestApi;
let tenant: TestTenant;
let people: People;

const documents = 20_100;
const get = '/v2/users/get';

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
  people = await somePeople(tenant);
  await people.add([{ userId: 'granted' }, { userId: 'many', name: 'Many' }, { userId: 'z', name: 'Last' }]);
  await withLargeTables(api.database, tenant.id);
  await api.database.sql(
    `with o as (select id from organization where api_key_id = $1 and ext_id = $2),
       made as (
         insert into document (api_key_id, org_id, ext_id, name)
         select $1, o.id, 'd-' || lpad(n::text, 5, '0'), 'x' from o, generate_series(1, $3::integer) n returning id, org_id)
     insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member, grant_role)
     select u.id, 3, m.id, $1, m.org_id, u.ext_id, u.ext_id = 'many' or m.id = (select max(id) from made), 2
     from made m cross join app_user u where u.api_key_id = $1 and u.ext_id in ('granted', 'many')`,
    [tenant.id, people.organizationId, documents],
  );
  await people.add([{ userId: 'z' }], { documentId: 'd-00001' });
  await api.database.sql('analyze');
});
afterAll(async () => api.close());

describe('users of more documents than one page examines', () => {
  it.each([1, 2, 3, 1_000])('are returned once each, in pages of %i that may be short', async (pageSize) => {
    const read = await pages<UserResponse[]>(tenant, get, {
      organizationId: people.organizationId,
      allDocuments: true,
      pageSize,
    });
    expect(read.flatMap(({ data }) => userIds(data))).toEqual(['granted', 'many', 'z']);
    // The grants of `granted` fill the first page before the membership.
    expect(read[0]?.data).toEqual([]);
  });

  it('are found by a search, page by page', async () => {
    const read = await pages<UserResponse[]>(tenant, get, {
      organizationId: people.organizationId,
      allDocuments: true,
      searchKey: 'last',
    });
    expect(read.flatMap(({ data }) => userIds(data))).toEqual(['z']);
    expect(read.length).toBeGreaterThan(1);
  });

  it('are returned with as many documents as a page examines, and other users with all of theirs', async () => {
    type Response = (UserResponse & { documentIds: string[] })[];
    const read = await pages<Response>(tenant, '/v2/users/doc/get', {
      organizationId: people.organizationId,
      pageSize: 10,
    });
    const users = read.flatMap(({ data }) => data);
    expect(userIds(users)).toEqual(['granted', 'many', 'z']);
    expect(users.map(({ documentIds }) => documentIds.length)).toEqual([1, 20_000, 1]);
  });

  it('are listed in every document that they are members of', async () => {
    type Grouped = Record<string, UserResponse[]>;
    const read = await pages<Grouped>(tenant, get, {
      organizationId: people.organizationId,
      allDocuments: true,
      groupByDocumentId: true,
      userIds: ['z', 'granted'],
    });
    const found = Object.assign({}, ...read.map(({ data }) => data)) as Grouped;
    expect(Object.entries(found).map(([id, users]) => [id, userIds(users)])).toEqual([
      ['d-00001', ['z']],
      ['d-20100', ['granted']],
    ]);
    const whole = await people.ok<Grouped>('/v1/users/get', { allDocuments: true, groupByDocumentId: true });
    expect(Object.keys(whole.data)).toHaveLength(documents);
  });

  it('are read by document without many more rows than a page examines', async () => {
    const request = { allDocuments: true, groupByDocumentId: true, pageSize: 10 };
    const sent = await statementsOf(() => people.ok(get, request));
    expect(await rowsRead(api.database, sent, 'access')).toBeLessThanOrEqual(100);
  });

  it('are counted exactly', async () => {
    expect(await people.count({ allDocuments: true })).toBe(3);
    expect(await people.count({ documentId: 'd-20100' })).toBe(2);
  });

  it('lose all memberships when they are removed from the organization', async () => {
    await people.add([{ userId: 'leaving' }]);
    await api.database.sql(
      `insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member)
       select u.id, 3, d.id, $1, d.org_id, u.ext_id, true from document d join app_user u on u.ext_id = 'leaving'
       where d.api_key_id = $1 and d.ext_id like 'd-%'`,
      [tenant.id],
    );
    await people.ok('/v2/users/delete', { userIds: ['leaving'] });
    expect(await api.database.sql(`select 1 from access where user_ext = 'leaving'`)).toEqual([]);
  });
});

describe('in large tables,', () => {
  const level = { documentId: 'd-00001' };
  const requests: [string, string, object, string][] = [
    ['members of a level', get, level, 'access_resource'],
    ['members by id', get, { ...level, userIds: ['a', 'b'] }, 'access_resource'],
    ['a search', get, { searchKey: 'a' }, 'access_resource'],
    ['members of groups', get, { organizationUserGroupIds: ['g'] }, 'user_group_member_pkey'],
    ['users of all documents', get, { allDocuments: true }, 'access_organization'],
    ['some users of all documents', get, { allDocuments: true, userIds: ['a'] }, 'access_organization'],
    ['users by document', get, { allDocuments: true, groupByDocumentId: true }, 'access_resource'],
    ['users with their documents', '/v2/users/doc/get', {}, 'access_organization'],
    ['involved documents', get, { userIds: ['z'], includeInvolvedDocuments: true }, 'activity_actor'],
    ['a count', '/v2/users/count/get', level, 'access_resource'],
    ['a count over all documents', '/v2/users/count/get', { allDocuments: true }, 'access_organization'],
    ['a new membership', '/v2/users/add', { ...level, users: [{ userId: 'new' }] }, 'app_user_ext'],
    ['a changed profile', '/v2/users/update', { users: [{ userId: 'z', name: 'Z' }] }, 'app_user_pkey'],
    ['a lost membership', '/v2/users/delete', { ...level, userIds: ['new'] }, 'access_resource'],
    ['lost memberships', '/v2/users/delete', { userIds: ['new'] }, 'access_user_organization'],
  ];

  it.each(requests)('finds %s by an index, without a table scan', async (_, path, data, index) => {
    const sent = await statementsOf(() => people.ok(path, data));
    const plans = [];
    for (const statement of sent) {
      if (!/^\s*(?:with|select|insert|update|delete)/.test(statement.text)) continue;
      // Skips the statement of credentials, because any plan scans a table with one key.
      if (/^select set_config|auth_token/.test(statement.text)) continue;
      plans.push(await explain(api.database, statement));
    }
    expect(plans.flatMap(({ wholeTables }) => wholeTables)).toEqual([]);
    expect(plans.flatMap(({ indexes }) => indexes)).toContain(index);
  });
});
