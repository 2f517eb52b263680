import { randomUUID } from 'node:crypto';
import { createApiKey } from '../../domain/workspaces/create-api-key.ts';
import { findKey } from '../../domain/workspaces/find-key.ts';
import { createWorkspace } from '../../domain/workspaces/create-workspace.ts';
import { tablesOf } from '../../domain/tables.ts';
import type { TestApi } from './api.ts';
import { aClient, type TestClient } from './client.ts';
import { operatorToken } from './environment.ts';
import { transacted } from './in-transaction.ts';

export interface TestWorkspace extends TestClient {
  /** Surrogate key. */
  readonly id: string;
  readonly workspaceId: string;
  readonly authToken: string;
}

/** A client of a new key in a new workspace. */
export interface TestTenant extends TestClient {
  /** Surrogate key, as in `api_key_id`. */
  readonly id: string;
  /** Public id of the key. */
  readonly keyId: string;
  readonly apiKey: string;
  readonly authToken: string;
  readonly workspace: TestWorkspace;
}

/** Returns an id that no other test uses. */
export const freshId = (kind: string): string => `${kind}-${randomUUID()}`;

export const anOperator = (api: Pick<TestApi, 'url'>): TestClient =>
  aClient(api.url, { 'x-svc-operator-token': operatorToken });

export interface TestOperatorToken {
  readonly tokenId: string;
  readonly token: string;
}

/** Creates an operator token, of scope `read` unless `members` has another. */
export async function anOperatorToken(
  operator: TestClient,
  members: Readonly<Record<string, unknown>> = {},
): Promise<TestOperatorToken> {
  const sent = { name: 'On call', scope: 'read', ...members };
  return (await operator.ok<TestOperatorToken>('/v2/operator/tokens/add', sent)).data;
}

export const aStranger = (api: TestApi): TestClient => aClient(api.url);

export async function aWorkspace(api: TestApi): Promise<TestWorkspace> {
  return transacted(api.orm, async (em) => {
    const made = createWorkspace(em, api.keyRing, { ownerEmail: 'owner@example.com', workspaceName: 'Acme' });
    await em.flush();
    const { id } = await tablesOf(em)
      .selectFrom('workspace')
      .select('id')
      .where('public_id', '=', made.id)
      .executeTakeFirstOrThrow();
    const client = aClient(api.url, {
      'x-svc-workspace-id': made.id,
      'x-svc-workspace-auth-token': made.authToken,
    });
    return { ...client, id, workspaceId: made.id, authToken: made.authToken };
  });
}

export interface TenantRequest {
  /** The workspace of the key; default: a new one. */
  readonly workspace?: TestWorkspace;
  /** Domains whose pages may call. */
  readonly allowedDomains?: readonly string[];
}

/** Creates a tenant without records: a workspace, an API key and its token. */
export async function aTenant(api: TestApi, request: TenantRequest = {}): Promise<TestTenant> {
  const workspace = request.workspace ?? (await aWorkspace(api));
  const key = await transacted(api.orm, async (em) =>
    createApiKey(em, api.keyRing, workspace.id, {
      ownerEmail: 'owner@example.com',
      type: 'testing',
      createAuthToken: true,
      allowedDomains: request.allowedDomains ?? [],
    }),
  );
  const ids = await findKey(api.orm.em.fork(), { tenantId: key.id });
  const authToken = key.authToken ?? '';
  const client = aClient(api.url, { 'x-svc-api-key': key.apiKey, 'x-svc-auth-token': authToken });
  return { ...client, id: key.id, keyId: ids?.keyId ?? '', apiKey: key.apiKey, authToken, workspace };
}

/** Like `aTenant`, but only through the API. */
export async function aTenantByCalls(
  api: Pick<TestApi, 'url' | 'database'>,
  request: TenantRequest = {},
): Promise<TestTenant> {
  const workspace = request.workspace ?? (await aWorkspaceByCalls(api));
  const { data } = await workspace.ok<{ apiKey: string; authToken: string }>('/v2/workspace/apikey/create', {
    ownerEmail: 'owner@example.com',
    type: 'testing',
  });
  const [row = { id: '', public_id: '' }] = await api.database.sql<{ id: string; public_id: string }>(
    `select id, to_jsonb(k) ->> 'public_id' as public_id from api_key k order by id desc limit 1`,
  );
  const client = aClient(api.url, { 'x-svc-api-key': data.apiKey, 'x-svc-auth-token': data.authToken });
  return { ...client, ...data, id: row.id, keyId: row.public_id, workspace };
}

async function aWorkspaceByCalls(api: Pick<TestApi, 'url'>): Promise<TestWorkspace> {
  const made = await anOperator(api).ok<{ id: string; authToken: string }>('/v2/workspace/create', {
    ownerEmail: 'owner@example.com',
    workspaceName: 'Acme',
  });
  const { id: workspaceId, authToken } = made.data;
  const client = aClient(api.url, {
    'x-svc-workspace-id': workspaceId,
    'x-svc-workspace-auth-token': authToken,
  });
  return { ...client, id: '', workspaceId, authToken };
}

/** A scoped auth token of a tenant's key. */
export interface TestToken {
  readonly authTokenId: string;
  readonly token: string;
}

/** Adds a scoped auth token to the key of a tenant. */
export async function aScopedToken(
  { workspace, apiKey }: TestTenant,
  scopes: readonly string[],
  others: Readonly<Record<string, unknown>> = {},
): Promise<TestToken> {
  const { data } = await workspace.ok<{ authToken: TestToken }>('/v2/workspace/authtokens/add', {
    apiKey,
    name: 'Nightly report',
    scopes,
    ...others,
  });
  return data.authToken;
}

/** Returns the same tenant as a caller of another API process. */
export function calledThrough(api: { readonly url: string }, tenant: TestTenant): TestTenant {
  return { ...tenant, ...aClient(api.url, tenant.headers) };
}

/** Turns activity logs on, which activities/add requires. */
export async function withActivityLogs<Caller extends TestClient>(tenant: Caller): Promise<Caller> {
  await tenant.ok('/v2/workspace/activityconfig/update', { activityServiceConfig: { isEnabled: true } });
  return tenant;
}

/** Creates an organization. Returns its id. */
export async function anOrganization(
  tenant: TestClient,
  {
    organizationId = freshId('organization'),
    ...members
  }: { organizationId?: string; [member: string]: unknown } = {},
): Promise<string> {
  await tenant.ok('/v2/organizations/add', { organizations: [{ organizationId, ...members }] });
  return organizationId;
}

/** Location and other members of a new document or folder. */
export interface Located {
  readonly organizationId?: string;
  readonly folderId?: string;
  readonly [member: string]: unknown;
}

export interface TestDocument {
  readonly organizationId: string;
  readonly documentId: string;
}

/** Creates a document, in a new organization unless one is named. */
export async function aDocument(
  tenant: TestClient,
  {
    organizationId,
    folderId,
    documentId = freshId('document'),
    ...members
  }: Located & { documentId?: string } = {},
): Promise<TestDocument> {
  const organization = organizationId ?? (await anOrganization(tenant));
  await allDone(tenant, '/v2/organizations/documents/add', {
    organizationId: organization,
    ...(folderId !== undefined && { folderId }),
    documents: [{ documentId, ...members }],
  });
  return { organizationId: organization, documentId };
}

export interface TestFolder {
  readonly organizationId: string;
  readonly folderId: string;
}

/** Creates a folder, in a new organization unless one is named. */
export async function aFolder(
  tenant: TestTenant,
  { organizationId, folderId = freshId('folder'), ...members }: Located & { parentFolderId?: string } = {},
): Promise<TestFolder> {
  const organization = organizationId ?? (await anOrganization(tenant));
  await allDone(tenant, '/v2/organizations/folders/add', {
    organizationId: organization,
    folders: [{ folderId, ...members }],
  });
  return { organizationId: organization, folderId };
}

/** Returns records for activities/add with numbers in their target. */
export function activities(count: number, members: Readonly<Record<string, unknown>> = {}): object[] {
  return Array.from({ length: count }, (_, number) => ({
    featureType: 'custom',
    actionType: 'test.happened',
    actionUser: { userId: 'user-1' },
    targetEntityId: `target-${String(number)}`,
    ...members,
  }));
}

/** Adds activity logs to a document, 1,000 per call. Returns their ids. */
export async function addActivityLogs(
  tenant: TestClient,
  document: TestDocument,
  records: readonly object[],
): Promise<string[]> {
  const added: string[] = [];
  for (let start = 0; start < records.length; start += 1_000) {
    const { data } = await tenant.ok<{ activityIds: string[] }>('/v2/activities/add', {
      ...document,
      activities: records.slice(start, start + 1_000),
    });
    added.push(...data.activityIds);
  }
  return added;
}

/** Expects every item of a batch to succeed. */
async function allDone(tenant: TestClient, path: string, data: object): Promise<void> {
  const result = await tenant.ok(path, data);
  if (result.failedCount !== 0) throw new Error(`${path}: ${JSON.stringify(result.data)}`);
}
