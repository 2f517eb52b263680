import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { anOperator, calledThrough, aTenant, aWorkspace, type TestTenant } from '../../support/factories.ts';
import { waitsForLock } from '../../support/lock-waits.ts';

const api = await startTestApi();
const second = await startTestApi({ database: api.database });
afterAll(async () => {
  await second.close();
  await api.close();
});

const operator = anOperator(api);
const keys = '/v2/operator/keys';
const workspaces = '/v2/operator/workspaces';
const call = '/v2/organizations/get';

/** Returns the statuses of a call of the key in each of two processes. */
const responses = async (tenant: TestTenant): Promise<unknown[]> =>
  Promise.all(
    [tenant, calledThrough(second, tenant)].map(async (client) => {
      const { status, body } = await client.call(call, {});
      return status === 200 ? 200 : [status, body.error?.status, body.error?.message];
    }),
  );

const keyDisabled = [403, 'PERMISSION_DENIED', 'API key is disabled.'];
const workspaceDisabled = [403, 'PERMISSION_DENIED', 'Workspace is disabled.'];
const keyMissing = { status: 'NOT_FOUND', message: 'API key not found.' };
const workspaceMissing = { status: 'NOT_FOUND', message: 'Workspace not found.' };

describe('an operator', () => {
  it('lists and reads keys and workspaces without secrets', async () => {
    const tenant = await aTenant(api);
    const { workspaceId } = tenant.workspace;
    const sibling = await aTenant(api, { workspace: tenant.workspace });
    const { data } = await operator.ok<{ keyId: string }[]>(`${keys}/list`, { workspaceId });
    expect(data.map(({ keyId }) => keyId)).toEqual([tenant.keyId, sibling.keyId]);
    const { data: key } = await operator.ok(`${keys}/get`, { keyId: tenant.keyId });
    expect(key).toEqual({
      keyId: tenant.keyId,
      workspaceId,
      name: expect.any(String),
      type: expect.any(String),
      ownerEmail: expect.stringContaining('@'),
      createdAt: expect.any(Number),
      disabledAt: null,
      disabledBy: null,
      workspaceDisabledAt: null,
    });
    const { data: workspace } = await operator.ok(`${workspaces}/get`, { workspaceId });
    expect(workspace).toEqual({
      workspaceId,
      name: 'Acme',
      ownerEmail: 'owner@example.com',
      createdAt: expect.any(Number),
      disabledAt: null,
    });
  });

  it('receives NOT_FOUND for an unknown key and an unknown workspace', async () => {
    for (const verb of ['get', 'disable', 'enable', 'authtoken/reset'])
      expect(await operator.refused(`${keys}/${verb}`, { keyId: 'akid_unknown' })).toMatchObject(keyMissing);
    for (const verb of ['get', 'disable', 'enable'])
      expect(await operator.refused(`${workspaces}/${verb}`, { workspaceId: 'ws_unknown' })).toMatchObject(
        workspaceMissing,
      );
    expect(await operator.refused(`${keys}/list`, { workspaceId: 'ws_unknown' })).toMatchObject(
      workspaceMissing,
    );
  });

  it('resets an auth token with an overlap', async () => {
    const tenant = await aTenant(api);
    const path = `${keys}/authtoken/reset`;
    const { data } = await operator.ok<{ newAuthToken: { token: string } }>(path, {
      keyId: tenant.keyId,
      overlapSeconds: 60,
    });
    const renewed = tenant.with({ 'x-svc-auth-token': data.newAuthToken.token });
    expect([(await renewed.call(call, {})).status, (await tenant.call(call, {})).status]).toEqual([200, 200]);
    await operator.ok(path, { keyId: tenant.keyId });
    expect((await renewed.call(call, {})).status).toBe(403);
  });
});

describe('a disabled key', () => {
  it('is refused in every process until it is enabled, and disabling it again changes nothing', async () => {
    const tenant = await aTenant(api);
    const { keyId } = tenant;
    const first = await operator.ok(`${keys}/disable`, { keyId });
    expect(await responses(tenant)).toEqual([keyDisabled, keyDisabled]);
    expect(await operator.ok(`${keys}/disable`, { keyId })).toEqual(first);
    expect(first.data).toMatchObject({ disabledAt: expect.any(Number), disabledBy: 'operator' });
    for (let repeated = 0; repeated < 2; repeated += 1) {
      const { data } = await operator.ok(`${keys}/enable`, { keyId });
      expect(data).toMatchObject({ disabledAt: null, disabledBy: null });
    }
    expect(await responses(tenant)).toEqual([200, 200]);
  });

  it('is refused like any wrong credentials when its token is wrong', async () => {
    const tenant = await aTenant(api);
    await operator.ok(`${keys}/disable`, { keyId: tenant.keyId });
    const wrong = tenant.with({ 'x-svc-auth-token': 'tok_wrong' });
    expect(await wrong.refused(call, {})).toMatchObject({ http: 403, message: 'Invalid API key.' });
  });

  it('is enabled by its workspace unless an operator disabled it', async () => {
    const tenant = await aTenant(api);
    const { workspace, apiKey, keyId } = tenant;
    await workspace.ok('/v2/workspace/apikey/disable', { apiKey });
    expect(await responses(tenant)).toEqual([keyDisabled, keyDisabled]);
    await workspace.ok('/v2/workspace/apikey/enable', { apiKey });
    expect(await responses(tenant)).toEqual([200, 200]);
    await workspace.ok('/v2/workspace/apikey/disable', { apiKey });
    await operator.ok(`${keys}/disable`, { keyId });
    expect(await workspace.refused('/v2/workspace/apikey/enable', { apiKey })).toMatchObject({
      status: 'FAILED_PRECONDITION',
      message: 'An operator disabled the API key. Only an operator can enable it.',
    });
  });

  it('is reset, limited, disabled and deleted while calls that write for it are running', async () => {
    const tenant = await aTenant(api);
    const { keyId, workspace } = tenant;
    // What an insert of a row that references the key holds until its commit.
    const writer = await api.database.connect();
    await writer.query('begin');
    await writer.query('select from api_key where id = $1 for key share', [tenant.id]);
    const { data } = await operator.ok(`${keys}/get`, { keyId });
    await operator.ok(`${keys}/authtoken/reset`, { keyId });
    await operator.ok('/v2/operator/limits/update', { keyId, requestsPerSecond: 5 });
    await operator.ok(`${workspaces}/disable`, { workspaceId: workspace.workspaceId });
    await operator.ok(`${keys}/disable`, { keyId });
    await operator.ok(`${keys}/delete`, { keyId, confirmName: (data as { name: string }).name });
    await writer.query('rollback');
  });

  it('of another workspace does not exist', async () => {
    const tenant = await aTenant(api);
    const stranger = await aWorkspace(api);
    for (const verb of ['disable', 'enable'])
      for (const apiKey of [tenant.apiKey, 'key_unknown'])
        expect(await stranger.refused(`/v2/workspace/apikey/${verb}`, { apiKey })).toMatchObject(keyMissing);
    expect(await responses(tenant)).toEqual([200, 200]);
  });
});

describe('a disabled workspace', () => {
  it('is refused with all of its keys until it is enabled, but a key that is disabled itself stays disabled', async () => {
    const tenant = await aTenant(api);
    const { workspace } = tenant;
    const sibling = await aTenant(api, { workspace });
    const { workspaceId } = workspace;
    await operator.ok(`${keys}/disable`, { keyId: sibling.keyId });
    const first = await operator.ok(`${workspaces}/disable`, { workspaceId });
    expect(await operator.ok(`${workspaces}/disable`, { workspaceId })).toEqual(first);
    expect(await responses(tenant)).toEqual([workspaceDisabled, workspaceDisabled]);
    expect(await workspace.refused('/v2/workspace/get', {})).toMatchObject({
      http: 403,
      message: 'Workspace is disabled.',
    });
    expect((await operator.ok(`${workspaces}/enable`, { workspaceId })).data).toMatchObject({
      disabledAt: null,
    });
    expect(await responses(tenant)).toEqual([200, 200]);
    expect(await responses(sibling)).toEqual([keyDisabled, keyDisabled]);
  });

  it('includes a key that a process of release 0.2.0 is creating', async () => {
    const { workspace, keyId } = await aTenant(api);
    const { workspaceId } = workspace;
    const creator = await api.database.connect();
    await creator.query('begin');
    // The lock of release 0.2.0.
    await creator.query('select from workspace where public_id = $1 for key share', [workspaceId]);
    const disabling = operator.ok(`${workspaces}/disable`, { workspaceId });
    expect(await waitsForLock(api.database, disabling)).toBe(true);
    const created = await creator.query<{ public_id: string }>(
      `insert into api_key (workspace_id, key_hash, key_enc, name, type, owner_email, allowed_domains)
       select workspace_id, 'created', key_enc, name, type, owner_email, allowed_domains from api_key
       where public_id = $1 returning public_id`,
      [keyId],
    );
    await creator.query('commit');
    await disabling;
    const { data } = await operator.ok(`${keys}/get`, { keyId: created.rows[0]?.public_id });
    expect(data).toMatchObject({ workspaceDisabledAt: expect.any(Number) });
  });

  it('restarts the time of failures of the endpoints of all its active keys when it is enabled', async () => {
    const tenants = [await aTenant(api)];
    const [{ workspace }] = tenants as [TestTenant];
    tenants.push(await aTenant(api, { workspace }), await aTenant(api));
    const ids = tenants.map(({ id }) => id);
    await api.database.sql(
      `insert into webhook_endpoint (api_key_id, public_id, url, failing_since)
       select id, 'ep_failing_' || id, 'https://example.com', now() - interval '6 days' from unnest($1::bigint[]) id`,
      [ids],
    );
    const { workspaceId } = workspace;
    await operator.ok(`${workspaces}/disable`, { workspaceId });
    await operator.ok(`${workspaces}/enable`, { workspaceId });
    const failing = await api.database.sql<{ id: string }>(
      'select api_key_id as id from webhook_endpoint where failing_since is not null and api_key_id = any($1)',
      [ids],
    );
    expect(failing.map(({ id }) => id)).toEqual(ids.slice(2));
  });

  it('has no active key, also when keys are created concurrently', async () => {
    const workspace = await aWorkspace(api);
    const { workspaceId } = workspace;
    const create = { ownerEmail: 'owner@example.com', type: 'testing' };
    await Promise.all([
      ...Array.from({ length: 5 }, () => workspace.call('/v2/workspace/apikey/create', create)),
      operator.ok(`${workspaces}/disable`, { workspaceId }),
      ...Array.from({ length: 5 }, () => workspace.call('/v2/workspace/apikey/create', create)),
    ]);
    const { data } = await operator.ok<{ workspaceDisabledAt: number | null }[]>(`${keys}/list`, {
      workspaceId,
    });
    expect(data.filter(({ workspaceDisabledAt }) => workspaceDisabledAt === null)).toEqual([]);
  });
});
