import type { TestApi } from '../support/api.ts';
import type { Result, TestClient } from '../support/client.ts';
import {
  aDocument,
  aFolder,
  anOrganization,
  aTenant,
  freshId,
  type TestTenant,
} from '../support/factories.ts';

export const add = '/v2/auth/permissions/add';
export const remove = '/v2/auth/permissions/remove';
export const get = '/v2/auth/permissions/get';
export const check = '/v2/auth/permissions/check';
export const generate = '/v2/auth/generate_token';

export interface TestResource {
  readonly type: 'organization' | 'folder' | 'document';
  readonly id: string;
  readonly organizationId?: string;
}

export interface Checked extends TestResource {
  readonly hasAccess: boolean;
  readonly accessRole: string | null;
  readonly expiresAt: number | null;
  readonly reason: string;
  readonly path?: readonly {
    readonly found: string;
    readonly type?: string;
    readonly id?: string;
    readonly accessType?: string;
    readonly from?: string;
    readonly folderId?: string;
  }[];
}

/** An organization whose folder `top` contains the folder `below`, which contains a document. */
export interface Tree {
  readonly tenant: TestTenant;
  readonly organization: TestResource;
  readonly top: TestResource;
  readonly below: TestResource;
  readonly document: TestResource;
  readonly organizationId: string;
  readonly user: string;
}

export async function aTree(
  api: TestApi,
  { accessType = 'restricted' }: { readonly accessType?: string } = {},
): Promise<Tree> {
  const tenant = await aTenant(api);
  const organizationId = await anOrganization(tenant);
  const { folderId: top } = await aFolder(tenant, { organizationId, accessType });
  const { folderId: below } = await aFolder(tenant, { organizationId, parentFolderId: top });
  const { documentId } = await aDocument(tenant, { organizationId, folderId: below });
  return {
    tenant,
    organizationId,
    organization: { type: 'organization', id: organizationId },
    top: { type: 'folder', id: top, organizationId },
    below: { type: 'folder', id: below, organizationId },
    document: { type: 'document', id: documentId, organizationId },
    user: freshId('user'),
  };
}

export const grant = async (tenant: TestClient, userId: string, ...resources: object[]): Promise<Result> =>
  tenant.ok(add, { user: { userId }, permissions: { resources } });

export const revoke = async (tenant: TestClient, userId: string, ...resources: object[]): Promise<Result> =>
  tenant.ok(remove, { userId, permissions: { resources } });

/** The decision on one resource. */
export async function checked(
  tenant: TestClient,
  userId: string,
  resource: TestResource,
  explain = false,
): Promise<Checked> {
  const { data } = await tenant.ok<Checked[]>(check, { userId, resources: [resource], explain });
  const [only] = data;
  if (only === undefined || data.length !== 1)
    throw new Error(`Not exactly one result: ${JSON.stringify(data)}`);
  return only;
}

/** Returns role and reason, or the reason of a refusal, as one line to compare. */
export async function verdict(tenant: TestClient, userId: string, resource: TestResource): Promise<string> {
  const { hasAccess, accessRole, reason } = await checked(tenant, userId, resource);
  return `${hasAccess ? (accessRole ?? 'no role') : 'no'}: ${reason}`;
}

/** Adds a member by users/add. */
export async function aMember(
  api: TestApi,
  tenant: TestTenant,
  userId: string,
  resource: TestResource,
  role: 1 | 2 | null = null,
): Promise<void> {
  const { organizationId = resource.id } = resource;
  await api.database.sql(
    `with o as (select id from organization where api_key_id = $1 and ext_id = $2),
     u as (insert into app_user (api_key_id, ext_id) values ($1, $3)
       on conflict (api_key_id, ext_id) do update set updated_at = now() returning id)
     insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member, member_role)
     select u.id, case $4 when 'organization' then 1 when 'folder' then 2 else 3 end, case $4 when 'organization' then o.id
         when 'folder' then (select f.id from folder f where f.org_id = o.id and f.ext_id = $5)
         else (select d.id from document d where d.org_id = o.id and d.ext_id = $5) end,
       $1, o.id, $3, true, $6::smallint from u, o
     on conflict (user_id, kind, resource_id) do update set is_member = true, member_role = excluded.member_role`,
    [tenant.id, organizationId, userId, resource.type, resource.id, role],
  );
}

/** A time from now, in seconds since 1970. */
export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;
