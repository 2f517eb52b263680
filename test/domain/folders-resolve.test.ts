import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import { inAnOrganization, parentsOf } from '../api/folder-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

const add = '/v2/organizations/documents/add';

describe('a write below a folder', () => {
  it('creates the folder at the top level with createFolder, once for concurrent callers', async () => {
    const folders = await inAnOrganization(tenant);
    const calls = Array.from({ length: 20 }, async (_, n) =>
      tenant.ok(add, {
        organizationId: folders.organizationId,
        folderId: 'new',
        createFolder: true,
        documents: [{ documentId: `d${String(n)}` }],
      }),
    );
    for (const { failedCount } of await Promise.all(calls)) expect(failedCount).toBe(0);
    expect(await folders.get()).toMatchObject([{ folderId: 'new', folderName: 'new', ancestors: ['root'] }]);
  });

  it('uses an existing folder at any level', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([{ folderId: 'a' }, { folderId: 'b', parentFolderId: 'a' }]);
    await tenant.ok(add, {
      organizationId: folders.organizationId,
      folderId: 'b',
      createFolder: true,
      documents: [{ documentId: 'd' }],
    });
    expect(parentsOf(await folders.get())).toEqual({ a: 'root', b: 'a' });
  });

  it('never creates root, and names the flag when the folder is missing', async () => {
    const folders = await inAnOrganization(tenant);
    const { organizationId } = folders;
    await tenant.ok(add, {
      organizationId,
      folderId: 'root',
      createFolder: true,
      documents: [{ documentId: 'd' }],
    });
    expect(await folders.get()).toEqual([]);
    expect(
      await tenant.refused(add, { organizationId, folderId: 'x', documents: [{ documentId: 'e' }] }),
    ).toMatchObject({
      http: 404,
      message:
        'Folder does not exist. Add it with POST /v2/organizations/folders/add or send createFolder: true.',
    });
    expect(
      await tenant.refused('/v2/organizations/documents/get', { organizationId, folderId: 'x' }),
    ).toMatchObject({
      http: 404,
      message: 'Folder does not exist.',
    });
  });

  it('waits for a running deletion, and then finds no folder', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([{ folderId: 'a' }]);
    for (let round = 0; round < 20; round += 1) {
      const documentId = `d${String(round)}`;
      const [deleted, added] = await Promise.all([
        tenant.call('/v2/organizations/folders/delete', {
          organizationId: folders.organizationId,
          folderId: 'a',
        }),
        tenant.call(add, {
          organizationId: folders.organizationId,
          folderId: 'a',
          documents: [{ documentId }],
        }),
      ]);
      expect(deleted.status).toBe(200);
      expect([200, 404]).toContain(added.status);
      const read = await tenant.ok('/v2/organizations/documents/get', {
        organizationId: folders.organizationId,
      });
      expect(read.data).toEqual([]);
      await folders.add([{ folderId: 'a' }]);
    }
  });
});
