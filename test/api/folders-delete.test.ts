import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import { waitsForLock } from '../support/lock-waits.ts';
import { chain, inAnOrganization, parentsOf } from './folder-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

interface JobRow {
  kind: number;
  status: number;
  org_id: string;
  organization_ext_id: string;
  request: { organizations: string[]; folders: string[]; documents: string[] };
}

describe('deleting a folder', () => {
  it('hides it and everything below at once, and makes the ids reusable', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([...chain(3), { folderId: 'beside', parentFolderId: 'level-1' }]);
    const deleted = await folders.delete('level-2');
    expect(deleted).toMatchObject({
      status: 'success',
      message: 'Folder deletion initiated successfully.',
      data: null,
      jobId: expect.stringMatching(/^job_/),
    });
    expect(parentsOf(await folders.get())).toEqual({ 'level-1': 'root', beside: 'level-1' });
    const [top] = await folders.get({ folderId: 'level-1', maxDepth: 64 });
    expect(top?.subFolders).toMatchObject([{ folderId: 'beside', subFolders: [] }]);
    for (const folderId of ['level-2', 'level-3']) {
      expect(await folders.refused('get', { folderId })).toMatchObject({ http: 404 });
      expect((await folders.update([{ folderId, folderName: 'x' }])).data[folderId]?.code).toBe('not-found');
      expect((await folders.access([folderId], { accessType: 'public' })).data[folderId]?.code).toBe(
        'not-found',
      );
    }
    expect((await folders.add([{ folderId: 'x', parentFolderId: 'level-3' }])).data['x']?.code).toBe(
      'not-found',
    );
    expect((await folders.add([{ folderId: 'level-3' }])).failedCount).toBe(0);
    expect(await folders.get({ folderId: 'level-3' })).toMatchObject([
      { ancestors: ['root'], subFolders: [] },
    ]);
  });

  it('hides its documents, whose ids can be added again', async () => {
    const folders = await inAnOrganization(tenant);
    const { organizationId } = folders;
    await folders.add(chain(2));
    const add = async (members: object) =>
      tenant.ok('/v2/organizations/documents/add', { organizationId, ...members });
    await add({ folderId: 'level-2', documents: [{ documentId: 'inside' }] });
    await add({ documents: [{ documentId: 'outside' }] });
    await folders.delete('level-1');
    const read = async () => (await tenant.ok('/v2/organizations/documents/get', { organizationId })).data;
    expect(await read()).toMatchObject([{ id: 'outside' }]);
    expect((await add({ documents: [{ documentId: 'inside' }] })).failedCount).toBe(0);
    expect(await read()).toMatchObject([{ id: 'inside', folderId: 'root' }, { id: 'outside' }]);
    expect(
      await tenant.refused('/v2/organizations/documents/add', {
        organizationId,
        folderId: 'level-2',
        documents: [{ documentId: 'late' }],
      }),
    ).toMatchObject({ http: 404, status: 'NOT_FOUND' });
  });

  it('refuses a migration of a document below it that is accepted meanwhile, and reserves no id', async () => {
    const folders = await inAnOrganization(tenant);
    const { organizationId } = folders;
    await folders.add(chain(1));
    const add = async (documentId: string, folderId?: string) =>
      tenant.ok('/v2/organizations/documents/add', {
        organizationId,
        ...(folderId !== undefined && { folderId }),
        documents: [{ documentId }],
      });
    await add('inside', 'level-1');
    const deleting = await api.database.connect();
    await deleting.query('begin');
    await deleting.query(
      `update folder f set ext_id = null, deleted_at = now() from organization o
       where o.id = f.org_id and o.ext_id = $1 and f.ext_id = 'level-1'`,
      [organizationId],
    );
    const migrating = tenant.refused('/v2/organizations/documents/migrate', {
      organizationId,
      documentId: 'inside',
      newDocumentId: 'moved',
    });
    expect(await waitsForLock(api.database, migrating)).toBe(true);
    await deleting.query('commit');
    expect(await migrating).toMatchObject({ status: 'NOT_FOUND' });
    expect((await add('inside')).data).toMatchObject({ inside: { success: true } });
    expect((await add('moved')).data).toMatchObject({ moved: { success: true } });
  });

  it('ends migrations of documents below it', async () => {
    const folders = await inAnOrganization(tenant);
    const { organizationId } = folders;
    await folders.add(chain(3));
    await tenant.ok('/v2/organizations/documents/add', {
      organizationId,
      folderId: 'level-3',
      documents: [{ documentId: 'old' }],
    });
    const { data } = await tenant.ok<{ migrationId: string }>('/v2/organizations/documents/migrate', {
      organizationId,
      documentId: 'old',
      newDocumentId: 'new',
    });
    await folders.delete('level-1');
    const status = await tenant.ok('/v2/organizations/documents/migrate/status', {
      organizationId,
      migrationId: data.migrationId,
    });
    expect(status.data).toMatchObject({ status: 'failed', error: 'document was deleted' });
    const free = await tenant.ok('/v2/organizations/documents/add', {
      organizationId,
      documents: [{ documentId: 'old' }, { documentId: 'new' }],
    });
    expect(free.failedCount).toBe(0);
  });

  it('keeps the migration of a document that is being moved out of it', async () => {
    const folders = await inAnOrganization(tenant);
    const { organizationId } = folders;
    await folders.add([{ folderId: 'from' }, { folderId: 'to' }]);
    await tenant.ok('/v2/organizations/documents/add', {
      organizationId,
      folderId: 'from',
      documents: [{ documentId: 'moved' }, { documentId: 'other' }],
    });
    const migrations = ['moved', 'other'].map(async (documentId) => {
      const request = { organizationId, documentId, newDocumentId: `${documentId}-new` };
      return (await tenant.ok<{ migrationId: string }>('/v2/organizations/documents/migrate', request)).data;
    });
    const accepted = await Promise.all(migrations);
    const moving = await api.database.connect();
    await moving.query('begin');
    await moving.query(
      `update document d set folder_id = f.id from organization o join folder f on f.org_id = o.id and f.ext_id = 'to'
       where o.id = d.org_id and o.ext_id = $1 and d.ext_id = 'moved'`,
      [organizationId],
    );
    const deletion = folders.delete('from');
    expect(await waitsForLock(api.database, deletion)).toBe(true);
    await moving.query('commit');
    await deletion;
    const statuses = await Promise.all(
      accepted.map(async ({ migrationId }) =>
        tenant.ok('/v2/organizations/documents/migrate/status', { organizationId, migrationId }),
      ),
    );
    expect(statuses.map(({ data }) => data)).toMatchObject([{ status: 'pending' }, { status: 'failed' }]);
  });

  it('creates one job that names every folder by its surrogate key', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add(chain(3));
    const { jobId } = await folders.delete('level-1');
    const [job] = await api.database.sql<JobRow>('select * from job where public_id = $1', [jobId]);
    expect(job).toMatchObject({ kind: 4, organization_ext_id: folders.organizationId });
    const gone = await api.database.sql<{ id: string }>(
      'select id from folder where org_id = $1 and deleted_at is not null and ext_id is null order by id',
      [job?.org_id],
    );
    expect(gone).toHaveLength(3);
    expect(job?.request).toEqual({
      organizations: [],
      documents: [],
      folders: expect.arrayContaining(gone.map(({ id }) => id)),
    });
  });

  it('returns NOT_FOUND the second time, and for an unknown folder', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([{ folderId: 'a' }]);
    await folders.delete('a');
    for (const folderId of ['a', 'nowhere']) {
      expect(await folders.refused('delete', { folderId })).toMatchObject({
        http: 404,
        status: 'NOT_FOUND',
        message: 'Folder not found.',
      });
    }
  });

  it('deletes once when two calls run concurrently', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add(chain(20));
    const responses = await Promise.all(
      Array.from({ length: 8 }, async () =>
        tenant.call('/v2/organizations/folders/delete', {
          organizationId: folders.organizationId,
          folderId: 'level-1',
        }),
      ),
    );
    const count = (status: number) => responses.filter((response) => response.status === status).length;
    expect({ deleted: count(200), missing: count(404) }).toEqual({ deleted: 1, missing: 7 });
  });

  it('rejects root, does not exist on v1, and requires the organization', async () => {
    const folders = await inAnOrganization(tenant);
    expect(await folders.refused('delete', { folderId: 'root' })).toMatchObject({
      http: 400,
      status: 'INVALID_ARGUMENT',
      message: 'folderId must not be root.',
    });
    expect(await folders.refused('delete', {})).toMatchObject({ message: 'folderId is required.' });
    expect(await folders.refused('delete', { folderId: 'a' }, 1)).toMatchObject({
      http: 404,
      message: 'Operation does not exist.',
    });
    expect(
      await tenant.refused('/v2/organizations/folders/delete', { organizationId: 'nowhere', folderId: 'a' }),
    ).toMatchObject({ http: 404, message: 'Organization does not exist' });
  });

  it('waits for a write that locks a folder below, and then deletes what it wrote', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add(chain(3));
    const writer = await api.database.connect();
    await writer.query('begin');
    await writer.query(
      `select f.id from folder f join organization o on o.id = f.org_id
       where o.ext_id = $1 and f.ext_id = 'level-3' for key share of f`,
      [folders.organizationId],
    );
    let returned = false;
    const deletion = folders.delete('level-1').finally(() => {
      returned = true;
    });
    await eventually(async () => {
      const waiting = await api.database.sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    expect(returned).toBe(false);
    await writer.query(
      `insert into document (api_key_id, org_id, folder_id, ext_id, name)
       select f.api_key_id, f.org_id, f.id, 'late', 'late' from folder f join organization o on o.id = f.org_id
       where o.ext_id = $1 and f.ext_id = 'level-3'`,
      [folders.organizationId],
    );
    await writer.query('commit');
    await deletion;
    const documents = await tenant.ok('/v2/organizations/documents/get', {
      organizationId: folders.organizationId,
    });
    expect(documents.data).toEqual([]);
  });
});
