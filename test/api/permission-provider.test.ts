import { afterAll, describe, expect, it } from '@jest/globals';
import { permissionProviderKind } from '../../domain/configuration/kinds/permission-provider.ts';
import { updateConfiguration } from '../../domain/configuration/update-configuration.ts';
import { beginJob } from '../../domain/jobs/job-steps.ts';
import { findMigration } from '../../domain/migrations/active-migration.ts';
import { flipDocument } from '../../domain/migrations/flip-document.ts';
import { inTransaction } from '../../platform/database/orm.ts';
import { startTestApi } from '../support/api.ts';
import { aClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { freshId } from '../support/factories.ts';
import { aProvider, failing, saying, type TestProvider } from '../support/provider.ts';
import { aTree, check, checked, get, grant, verdict, type Checked, type Tree } from './permission-calls.ts';

const api = await startTestApi({
  environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8', DATABASE_POOL_SIZE: '2' },
});
afterAll(api.close);

const opened: TestProvider[] = [];
afterAll(async () => Promise.all(opened.map(async (provider) => provider.close())));

/** A tree whose key calls a provider of its own. */
async function aTreeWithProvider(): Promise<Tree & { readonly provider: TestProvider }> {
  const tree = await aTree(api, { accessType: 'public' });
  const provider = await aProvider();
  opened.push(provider);
  await configure(tree, { permissionProviderUrl: provider.url, authToken: 'secret-of-the-provider' });
  return { ...tree, provider };
}

const configure = async ({ tenant }: Tree, permissionProviderConfig: object): Promise<unknown> =>
  tenant.ok('/v2/workspace/permissionproviderconfig/update', {
    usePermissionProvider: true,
    permissionProviderConfig,
  });

describe('a permission provider that is on', () => {
  it('receives requests in the documented form', async () => {
    const { tenant, top, below, document, organization, organizationId, user, provider } =
      await aTreeWithProvider();
    await tenant.ok(check, { userId: user, resources: [document, below, top, organization] });
    const [received, ...others] = provider.received;
    expect(others).toEqual([]);
    expect(received?.method).toBe('POST');
    expect(received?.headers).toMatchObject({
      authorization: 'Bearer secret-of-the-provider',
      'content-type': 'application/json',
    });
    expect(received?.questions).toEqual([
      {
        userId: user,
        resource: { id: document.id, type: 'document', organizationId, parentFolderId: below.id },
      },
      { userId: user, resource: { id: below.id, type: 'folder', organizationId, parentFolderId: top.id } },
      { userId: user, resource: { id: top.id, type: 'folder', organizationId } },
      { userId: user, resource: { id: organizationId, type: 'organization', organizationId } },
    ]);
  });

  it('decides alone, regardless of grants and access types', async () => {
    const { tenant, document, user, provider } = await aTreeWithProvider();
    await grant(tenant, user, document);
    provider.behave(saying({ hasAccess: false }));
    expect(await checked(tenant, user, document, true)).toEqual({
      ...document,
      hasAccess: false,
      accessRole: null,
      expiresAt: null,
      reason: 'provider-refused',
      path: [],
    });
  });

  it('returns editor unless the provider returns viewer, and the expiry in seconds', async () => {
    const { tenant, document, top, user, provider } = await aTreeWithProvider();
    expect(await verdict(tenant, user, document)).toBe('editor: provider-granted');
    const expiresAt = Date.now() + 3_600_000;
    provider.behave(saying({ hasAccess: true, accessRole: 'viewer', expiresAt }));
    const fresh = await checked(tenant, user, top);
    expect(fresh).toMatchObject({ accessRole: 'viewer', expiresAt: Math.floor(expiresAt / 1_000) });
    expect(await checked(tenant, user, top)).toEqual(fresh);
    expect(provider.received).toHaveLength(2);
  });

  it('is not called for disabled or unknown resources', async () => {
    const { tenant, organization, document, user, organizationId, provider } = await aTreeWithProvider();
    expect(await verdict(tenant, user, { ...document, id: 'nothing' })).toBe('no: not-found');
    await tenant.ok('/v1/organizations/access/disablestate/update', {
      organizationIds: [organizationId],
      disabled: true,
    });
    expect(await verdict(tenant, user, document)).toBe('no: organization-disabled');
    expect(await verdict(tenant, user, organization)).toBe('no: organization-disabled');
    expect(provider.received).toHaveLength(0);
  });

  it('is not called again until a cached decision expires, and reads do not extend it', async () => {
    const { tenant, document, user, provider } = await aTreeWithProvider();
    await verdict(tenant, user, document);
    const expiry = async () =>
      api.database.sql<{ at: string; left: number }>(
        `select expires_at::text as at, extract(epoch from expires_at - now())::float8 as left
         from provider_answer where api_key_id = $1`,
        [tenant.id],
      );
    const before = await expiry();
    expect(before).toHaveLength(1);
    expect(before[0]?.left).toBeGreaterThan(200);
    expect(before[0]?.left).toBeLessThanOrEqual(300);
    for (let time = 0; time < 5; time += 1) await verdict(tenant, user, document);
    expect(await expiry()).toMatchObject([{ at: before[0]?.at }]);
    expect(provider.received).toHaveLength(1);
    await api.database.sql('update provider_answer set expires_at = now() where api_key_id = $1', [
      tenant.id,
    ]);
    await verdict(tenant, user, document);
    expect(provider.received).toHaveLength(2);
  });

  it('is called again after the expiry that it returned, and denies access by an expired grant', async () => {
    // Again with another tree when a slow machine needs the 3 s for the first check.
    const { tenant, document, user, provider, expiresAt } = await eventually(async () => {
      const tree = await aTreeWithProvider();
      const expiresAt = Date.now() + 3_000;
      tree.provider.behave(saying({ hasAccess: true, expiresAt }));
      expect(await verdict(tree.tenant, tree.user, tree.document)).toBe('editor: provider-granted');
      return { ...tree, expiresAt };
    });
    await eventually(async () => (await verdict(tenant, user, document)) === 'no: provider-refused');
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
    expect(provider.received.length).toBeGreaterThan(1);
  });

  it('is asked about the new id of a migrated document', async () => {
    const { tenant, document, organizationId, user, provider } = await aTreeWithProvider();
    expect(await verdict(tenant, user, document)).toBe('editor: provider-granted');
    const moved = { ...document, id: freshId('moved') };
    const { data } = await tenant.ok<{ migrationId: string }>('/v2/organizations/documents/migrate', {
      organizationId,
      documentId: document.id,
      newDocumentId: moved.id,
    });
    await beginJob(api.orm, data.migrationId);
    const migration = await findMigration(api.orm.em.fork(), data.migrationId);
    await eventually(async () => migration !== undefined && flipDocument(api.orm, migration));
    provider.behave(saying({ hasAccess: false }));
    expect(await verdict(tenant, user, moved)).toBe('no: provider-refused');
    expect(provider.received.at(-1)?.questions).toMatchObject([{ resource: { id: moved.id } }]);
  });

  it('is called again after its configuration changes', async () => {
    const tree = await aTreeWithProvider();
    const { tenant, document, user, provider } = tree;
    expect(await verdict(tenant, user, document)).toBe('editor: provider-granted');
    provider.behave(saying({ hasAccess: false }));
    await configure(tree, { authToken: 'another' });
    expect(await verdict(tenant, user, document)).toBe('no: provider-refused');
    expect(provider.received.at(-1)?.headers.authorization).toBe('Bearer another');
    const kept = await api.database.sql('select 1 as one from provider_answer where api_key_id = $1', [
      tenant.id,
    ]);
    expect(kept).toHaveLength(1);
  });

  it('is called once for identical concurrent checks, and holds no connection during the call', async () => {
    const { tenant, document, user, provider } = await aTreeWithProvider();
    const waiting: (() => void)[] = [];
    provider.behave(
      async (received, response) =>
        new Promise((resolve) => {
          waiting.push(() => {
            void saying({ hasAccess: true })(received, response);
            resolve();
          });
        }),
    );
    // Ten calls, and a pool of two connections.
    const calls = Array.from({ length: 10 }, async () => verdict(tenant, user, document));
    await eventually(() => waiting.length === 1);
    expect((await tenant.ok('/v2/organizations/get')).status).toBe('success');
    const calling = async () =>
      api.database.sql(
        `select 1 as one from pg_stat_activity where datname = current_database() and state like '%transaction%'`,
      );
    expect(await calling()).toEqual([]);
    for (const response of waiting) response();
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['editor: provider-granted']));
    expect(provider.received.length).toBeLessThanOrEqual(2);
  });

  it('is retried after a server error', async () => {
    const { tenant, document, user, provider } = await aTreeWithProvider();
    const started = Date.now();
    provider.behave((received, response) =>
      provider.received.length < 3
        ? failing(500)(received, response)
        : saying({ hasAccess: true })(received, response),
    );
    expect(await verdict(tenant, user, document)).toBe('editor: provider-granted');
    expect(provider.received).toHaveLength(3);
    expect(Date.now() - started).toBeGreaterThanOrEqual(4_000);
  });

  it.each([
    ['refuses the call', failing(403)],
    ['returns no JSON', failing(200, '<html>')],
    ['returns another shape', failing(200, '{"data":{"hasAccess":true}}')],
    ['returns no requested decision', failing(200, '{"data":[]}')],
    ['returns more than 1 MiB', failing(200, `{"data":[],"filler":"${'x'.repeat(1_100_000)}"}`)],
    ['redirects', failing(302)],
    ['returns a decision that is not a boolean', saying({ hasAccess: 'yes' })],
    ['names an unknown role', saying({ hasAccess: true, accessRole: 'owner' })],
    ['returns an expiry that is not a time', saying({ hasAccess: true, expiresAt: 'tomorrow' })],
  ])('denies access when it %s, and is called again the next time', async (_what, behavior) => {
    const { tenant, document, user, provider } = await aTreeWithProvider();
    provider.behave(behavior);
    expect(await verdict(tenant, user, document)).toBe('no: provider-failed');
    expect(provider.received).toHaveLength(1);
    provider.behave(saying({ hasAccess: true }));
    expect(await verdict(tenant, user, document)).toBe('editor: provider-granted');
  });

  it('denies access when two of its decisions contradict each other', async () => {
    const { tenant, document, user, provider } = await aTreeWithProvider();
    provider.behave(({ questions }, response) => {
      const data = [true, false].flatMap((hasAccess) =>
        questions.map(({ userId, resource }) => ({
          ...resource,
          resourceId: resource.id,
          userId,
          hasAccess,
        })),
      );
      response.end(JSON.stringify({ data }));
    });
    expect(await verdict(tenant, user, document)).toBe('no: provider-failed');
  });

  it('denies access without a URL, for a separate reason', async () => {
    const tree = await aTreeWithProvider();
    await configure(tree, { permissionProviderUrl: '' });
    expect(await verdict(tree.tenant, tree.user, tree.document)).toBe('no: provider-not-configured');
  });

  it('denies access when its token, which an earlier release has stored, is not valid in a header', async () => {
    const tree = await aTreeWithProvider();
    const change = { permissionProviderConfig: { authToken: 'two\nlines' } };
    await inTransaction(api.orm, async (em) =>
      updateConfiguration(em, api.keyRing, tree.tenant.id, { kind: permissionProviderKind, change }),
    );
    expect(await verdict(tree.tenant, tree.user, tree.document)).toBe('no: provider-failed');
    expect(tree.provider.received).toHaveLength(0);
  });

  it('logs the reason of a failure without token or ids', async () => {
    const { tenant, document, user, provider } = await aTreeWithProvider();
    provider.behave(failing(404));
    await verdict(tenant, user, document);
    const lines = api.log.filter((line) => line.includes('permission provider failed'));
    expect(lines.at(-1)).toContain('status 404');
    expect(lines.join()).not.toContain('secret-of-the-provider');
    expect(lines.join()).not.toContain(user);
  });

  it('logs the failures of each key once a minute', async () => {
    const trees = [await aTreeWithProvider(), await aTreeWithProvider()];
    for (const { tenant, document, user, provider } of trees) {
      provider.behave(failing(404));
      for (let time = 0; time < 3; time += 1) await verdict(tenant, user, document);
    }
    const lines = api.log.filter((line) => line.includes('permission provider failed'));
    for (const { tenant } of trees)
      expect(lines.filter((line) => line.includes(tenant.keyId))).toHaveLength(1);
  });

  it('decides every pair of permissions/get, which reports failed checks', async () => {
    const { tenant, document, below, organizationId, user, provider } = await aTreeWithProvider();
    provider.behave(({ questions }, response) => {
      const data = questions
        .filter(({ resource }) => resource.type !== 'folder')
        .map(({ userId, resource }) => ({
          ...resource,
          resourceId: resource.id,
          userId,
          hasAccess: resource.type === 'document',
        }));
      response.end(JSON.stringify({ data }));
    });
    const { data } = await tenant.ok(get, {
      organizationId,
      userIds: [user],
      folderIds: [below.id],
      documentIds: [document.id],
    });
    expect(data).toEqual({
      [user]: {
        organization: {
          [organizationId]: {
            error: 'User does not have access to organization',
            errorCode: 'permission_denied',
          },
        },
        folders: {
          [below.id]: {
            error: 'Permission provider did not respond',
            errorCode: 'something_went_wrong',
            accessType: 'public',
          },
        },
        documents: { [document.id]: { accessRole: 'editor', accessType: 'public' } },
        context: { accessFields: [] },
      },
    });
  });

  it('decides for a user under deletion without caching', async () => {
    const { tenant, document, user } = await aTreeWithProvider();
    await grant(tenant, user, document);
    await api.database.sql(
      `with j as (insert into job (api_key_id, public_id, kind, status) values ($1, 'job-' || $2, 4, 1) returning id)
       insert into user_deletion (job_id, user_id, user_ext_id, api_key_id, fenced_at)
       select j.id, u.id, $2, $1, now() from j, app_user u where u.ext_id = $2`,
      [tenant.id, user],
    );
    expect(await verdict(tenant, user, document)).toBe('editor: provider-granted');
    expect(
      await api.database.sql('select 1 as one from provider_answer where api_key_id = $1', [tenant.id]),
    ).toEqual([]);
  });

  it('receives 1,000 pairs in at most 4 requests', async () => {
    const { tenant, organizationId, document, provider } = await aTreeWithProvider();
    const userIds = Array.from({ length: 100 }, (_, at) => `user-${String(at)}`);
    const documentIds = [document.id, ...Array.from({ length: 9 }, (_, at) => `extra-${String(at)}`)];
    await tenant.ok('/v2/organizations/documents/add', {
      organizationId,
      documents: documentIds.slice(1).map((documentId) => ({ documentId })),
    });
    const { data } = await tenant.ok<Record<string, { documents: Record<string, Checked> }>>(get, {
      organizationId,
      userIds,
      documentIds,
    });
    expect(Object.values(data).flatMap(({ documents }) => Object.values(documents))).toHaveLength(1_000);
    expect(provider.received.length).toBeLessThanOrEqual(4);
  });
});

describe('a provider at a private address', () => {
  it('is not called unless the operator allows its network', async () => {
    const guarded = await startTestApi({
      database: api.database,
      environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: 'none' },
    });
    try {
      const { tenant, document, user, provider } = await aTreeWithProvider();
      expect(await verdict(aClient(guarded.url, tenant.headers), user, document)).toBe('no: provider-failed');
      expect(provider.received).toEqual([]);
    } finally {
      await guarded.close();
    }
  });
});
