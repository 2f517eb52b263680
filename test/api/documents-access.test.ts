import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aTenant } from '../support/factories.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => api.close());

const at = (operation: string): string => `/v2/organizations/${operation}`;

describe('documents/access/update', () => {
  it('returns the access type that a document inherits from a folder above its own', async () => {
    const tenant = await aTenant(api);
    const organizationId = 'acme';
    await tenant.ok(at('add'), { organizations: [{ organizationId }] });
    const folders = [
      { folderId: 'top', folderName: 'Top', accessType: 'restricted' },
      { folderId: 'middle', folderName: 'Middle', parentFolderId: 'top' },
      { folderId: 'bottom', folderName: 'Bottom', parentFolderId: 'middle' },
    ];
    for (const folder of folders) await tenant.ok(at('folders/add'), { organizationId, folders: [folder] });
    const documents = [{ documentId: 'plan', accessType: 'public' }];
    await tenant.ok(at('documents/add'), { organizationId, folderId: 'bottom', documents });
    const { data: set } = await tenant.ok(at('documents/access/update'), {
      organizationId,
      documentIds: ['plan'],
      inheritAccess: true,
    });
    const { data: read } = await tenant.ok(at('documents/get'), { organizationId, documentIds: ['plan'] });
    expect(read).toMatchObject([{ accessType: 'restricted', inheritAccess: true }]);
    expect(set).toMatchObject({ plan: { success: true, accessType: 'restricted' } });
  });
});
