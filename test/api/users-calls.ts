import { expect } from '@jest/globals';
import type { TestApi } from '../support/api.ts';
import { issuesOf, type Refusal, type Result } from '../support/client.ts';
import { aDocument, aFolder, anOrganization, freshId, type TestTenant } from '../support/factories.ts';
import { allRows } from '../support/rows.ts';

/** A user in a response. */
export interface UserResponse {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly initial: string;
  readonly accessRole?: string | null;
  readonly [member: string]: unknown;
}

export type Items = Readonly<
  Record<string, { success: boolean; id: string; message: string; code?: string; [member: string]: unknown }>
>;

/** An organization with a document and a folder, and calls about their members. */
export interface People {
  readonly organizationId: string;
  readonly documentId: string;
  readonly folderId: string;
  readonly add: (users: readonly object[], members?: object) => Promise<Result<Items>>;
  readonly get: (members?: object) => Promise<readonly UserResponse[]>;
  readonly count: (members?: object) => Promise<number>;
  readonly ok: <Data = Items>(path: string, members: object) => Promise<Result<Data>>;
}

export async function somePeople(tenant: TestTenant): Promise<People> {
  const organizationId = await anOrganization(tenant);
  const { documentId } = await aDocument(tenant, { organizationId });
  const { folderId } = await aFolder(tenant, { organizationId });
  const ok = async <Data>(path: string, members: object) =>
    tenant.ok<Data>(path, { organizationId, ...members });
  return {
    organizationId,
    documentId,
    folderId,
    ok,
    add: async (users, members = {}) => ok<Items>('/v2/users/add', { users, ...members }),
    get: async (members = {}) => (await ok<UserResponse[]>('/v2/users/get', members)).data,
    count: async (members = {}) => (await ok<{ count: number }>('/v2/users/count/get', members)).data.count,
  };
}

export const userIds = (users: readonly UserResponse[]): string[] => users.map(({ userId }) => userId);

/** Reads every page of a list. */
export async function pages<Data>(tenant: TestTenant, path: string, data: object): Promise<Result<Data>[]> {
  const read: Result<Data>[] = [];
  let pageToken: string | undefined;
  do {
    const page: Result<Data> = await tenant.ok<Data>(path, { ...data, ...(pageToken && { pageToken }) });
    expect(page.pageToken).toBe(page.nextPageToken);
    read.push(page);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return read;
}

/** Numbered ids in byte order. */
export const numbered = (count: number, prefix = 'user'): { userId: string }[] =>
  Array.from({ length: count }, (_, number) => ({ userId: `${prefix}-${String(number).padStart(5, '0')}` }));

/** Expects a rejection with exactly these issues, the first one as the message, and that no row has changed. */
export async function expectIssues(
  api: TestApi,
  tenant: TestTenant,
  path: string,
  data: object,
  issues: Readonly<Record<string, string>>,
): Promise<void> {
  const refusal = await expectRefusal(api, tenant, path, data, {
    http: 400,
    status: 'INVALID_ARGUMENT',
    message: Object.values(issues)[0] ?? '',
  });
  expect(issuesOf(refusal)).toEqual(issues);
}

/** All tables except the key that signs page tokens, which the first token creates. */
async function records(api: TestApi): Promise<Record<string, string[]>> {
  return { ...(await allRows(api.database)), signing_key: [] };
}

/** Expects a rejection, and that no row has changed. */
export async function expectRefusal(
  api: TestApi,
  tenant: TestTenant,
  path: string,
  data: object,
  expected: Readonly<Record<string, unknown>>,
): Promise<Refusal> {
  const before = await records(api);
  const refusal = await tenant.refused(path, data);
  expect(refusal).toMatchObject(expected);
  expect(await records(api)).toEqual(before);
  return refusal;
}

/** Fences a user by a deletion, in one organization or in all. Returns the job id. */
export async function fence(
  api: TestApi,
  tenant: TestTenant,
  userId: string,
  organizationId?: string,
): Promise<string> {
  const jobId = freshId('deletion');
  await api.database.sql(
    `with j as (insert into job (api_key_id, public_id, kind, status) values ($1, $2, 2, 1) returning id),
       o as (insert into user_deletion_organization (job_id, org_id)
         select j.id, g.id from j, organization g where g.api_key_id = $1 and g.ext_id = $4)
     insert into user_deletion (job_id, user_id, user_ext_id, api_key_id, fenced_at)
     select j.id, u.id, u.ext_id, $1, now() from j, app_user u where u.api_key_id = $1 and u.ext_id = $3`,
    [tenant.id, jobId, userId, organizationId ?? null],
  );
  return jobId;
}

/** Adds a grant, with or without a membership. */
export async function grant(
  api: TestApi,
  tenant: TestTenant,
  userId: string,
  documentId: string,
): Promise<void> {
  await api.database.sql(
    `insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member, grant_role)
     select u.id, 3, d.id, $1, d.org_id, u.ext_id, false, 2 from app_user u, document d
     where u.api_key_id = $1 and u.ext_id = $2 and d.api_key_id = $1 and d.ext_id = $3
     on conflict (user_id, kind, resource_id) do update set grant_role = 2`,
    [tenant.id, userId, documentId],
  );
}

export interface AccessRow {
  readonly user_ext: string;
  readonly kind: number;
  readonly is_member: boolean;
  readonly member_role: number | null;
  readonly grant_role: number | null;
}

export async function accessRows(api: TestApi, tenant: TestTenant, userId: string): Promise<AccessRow[]> {
  return api.database.sql<AccessRow>(
    `select user_ext, kind, is_member, member_role, grant_role from access
     where api_key_id = $1 and user_ext = $2 order by kind, resource_id`,
    [tenant.id, userId],
  );
}

export const fenced = (userId: string, jobId: string) => ({
  http: 400,
  status: 'FAILED_PRECONDITION',
  message: 'User data deletion is in progress.',
  details: { userIds: [userId], jobId },
});

/** Documents `a` to `c` with overlapping members. */
export async function overlapping(tenant: TestTenant): Promise<People & { readonly ids: readonly string[] }> {
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
