import { afterAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import { startTestApi } from '../support/api.ts';
import type { Response } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { anOrganization, aTenant, type TestTenant } from '../support/factories.ts';
import { chain, inAnOrganization, parentsOf } from './folder-calls.ts';
import { generate } from './permission-calls.ts';

const api = await startTestApi();
afterAll(api.close);

/**
 * Makes a call while another transaction has executed `statement`. Once the call waits for it, it executes `last`, with the
 * same parameters, and commits.
 */
async function overtaken(
  statement: string,
  parameters: readonly unknown[],
  call: () => Promise<Response>,
  last?: string,
): Promise<Response> {
  const other = await api.database.connect();
  await other.query('begin');
  await other.query(statement, [...parameters]);
  const response = call();
  await eventually(async () => {
    const waiting = await api.database.sql(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(waiting).toHaveLength(1);
  });
  if (last !== undefined) await other.query(last, [...parameters]);
  await other.query('commit');
  return response;
}

describe('a write that waits for a concurrent one', () => {
  it.each(['add', 'delete'])(
    'is NOT_FOUND, as declared, when its key is deleted meanwhile: domains/%s',
    async (act) => {
      const tenant = await aTenant(api);
      const path = `/v2/workspace/domains/${act}`;
      const { status, body } = await overtaken(
        'update api_key set deleted_at = now() where id = $1',
        [tenant.id],
        async () => tenant.call(path, { domains: ['example.com'] }),
      );
      expect([status, body.error?.status]).toEqual([404, 'NOT_FOUND']);
      const declared = endpoints.find(({ paths }) => paths.includes(path));
      expect(declared?.errors).toContain('NOT_FOUND');
    },
  );

  it('adds a document whose id a cascade frees meanwhile', async () => {
    const tenant = await aTenant(api);
    const organizationId = await anOrganization(tenant);
    const documents = [{ documentId: 'plan', documentName: 'Plan' }];
    await tenant.ok('/v2/organizations/folders/add', {
      organizationId,
      folders: [{ folderId: 'f', folderName: 'F' }],
    });
    await tenant.ok('/v2/organizations/documents/add', { organizationId, folderId: 'f', documents });
    await tenant.ok('/v2/organizations/folders/delete', { organizationId, folderId: 'f' });
    const { body } = await overtaken(
      `update document set ext_id = null, deleted_at = now() where api_key_id = $1 and ext_id = 'plan'`,
      [tenant.id],
      async () => tenant.call('/v2/organizations/documents/add', { organizationId, documents }),
    );
    expect(body.result?.data).toMatchObject({ plan: { success: true } });
  });

  it.each([
    ['the parent', ['level-1', 'level-2'], {}, 'Parent folder does not exist.'],
    ['the folder', ['level-2'], { 'level-1': 'root', 'level-2': 'level-1' }, undefined],
  ])(
    'creates a folder below its parent or not at all, when %s is deleted meanwhile',
    async (_, gone, left, text) => {
      const tenant = await aTenant(api);
      const folders = await inAnOrganization(tenant);
      await folders.add(chain(2));
      const { body } = await overtaken(
        `update folder set ext_id = null, deleted_at = now() where api_key_id = $1 and ext_id = any($2)`,
        [tenant.id, gone],
        async () =>
          tenant.call('/v2/users/add', {
            organizationId: folders.organizationId,
            folderId: 'level-2',
            parentFolderId: 'level-1',
            createFolder: true,
            users: [{ userId: 'ada' }],
          }),
      );
      expect(body.error?.message).toBe(text);
      expect(parentsOf(await folders.get())).toEqual(left);
    },
  );

  /** Makes a call while another transaction has locked an organization and then deletes it. */
  const whileDeleted = async (tenant: TestTenant, organizationId: string, path: string, data: object) => {
    const of = 'organization where api_key_id = $1 and ext_id = $2';
    return overtaken(
      `select from ${of} for update`,
      [tenant.id, organizationId],
      async () => tenant.call(path, data),
      `with deleted as (select id from ${of})
       update organization o set ext_id = null, deleted_at = now() from deleted d where o.id = d.id`,
    );
  };

  it.each([
    [
      '/v2/organizations/add',
      (organizationId: string) => ({
        organizations: ['new', organizationId].map((id) => ({ organizationId: id, plan: 'gold' })),
      }),
      { plan: 'gold', disabled: false },
    ],
    [
      '/v2/organizations/access/disablestate/update',
      (organizationId: string) => ({
        organizationIds: ['new', organizationId],
        disabled: true,
        createOrganization: true,
      }),
      { disabled: true },
    ],
  ])('adds an organization that is deleted meanwhile: %s', async (path, data, members) => {
    const tenant = await aTenant(api);
    const organizationId = await anOrganization(tenant);
    const { body } = await whileDeleted(tenant, organizationId, path, data(organizationId));
    expect(body.result?.data).toMatchObject({ new: { success: true }, [organizationId]: { success: true } });
    const organizationIds = ['new', organizationId];
    const { data: found } = await tenant.ok<object[]>('/v2/organizations/get', { organizationIds });
    expect(found).toHaveLength(2);
    for (const organization of found) expect(organization).toMatchObject(members);
  });

  it('creates an organization that is deleted meanwhile', async () => {
    const tenant = await aTenant(api);
    const organizationId = await anOrganization(tenant);
    const { status } = await whileDeleted(tenant, organizationId, '/v2/users/add', {
      organizationId,
      createOrganization: true,
      users: [{ userId: 'ada' }],
    });
    expect(status).toBe(200);
    const { data } = await tenant.ok<{ userId: string }[]>('/v2/users/get', { organizationId });
    expect(data.map(({ userId }) => userId)).toEqual(['ada']);
  });

  it('renames a group that is added meanwhile', async () => {
    const tenant = await aTenant(api);
    const organizationId = await anOrganization(tenant);
    const path = '/v2/organizations/usergroups/add';
    await overtaken(
      `insert into user_group (api_key_id, org_id, ext_id, name)
       select o.api_key_id, o.id, 'g', 'g' from organization o where o.api_key_id = $1 and o.ext_id = $2`,
      [tenant.id, organizationId],
      async () =>
        tenant.call(path, {
          organizationId,
          organizationUserGroups: [{ organizationUserGroupId: 'g', groupName: 'Designers' }],
        }),
    );
    expect(await api.database.sql('select name from user_group where api_key_id = $1', [tenant.id])).toEqual([
      { name: 'Designers' },
    ]);
  });

  it('signs a token with the profile of the call, also when another call writes it first', async () => {
    const tenant = await aTenant(api);
    const organizationId = await anOrganization(tenant);
    await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: 'ada' }] });
    const userProperties = { name: 'Ada', email: 'ada@example.com' };
    const { body } = await overtaken(
      `update app_user set name = 'Ada', email = 'ada@example.com' where api_key_id = $1 and ext_id = 'ada'`,
      [tenant.id],
      async () => tenant.call(generate, { userId: 'ada', userProperties }),
    );
    const { token } = (body.result?.data ?? {}) as { token?: string };
    const claims = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString()) as object;
    expect(claims).toMatchObject(userProperties);
  });
});
