import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aDocument, aFolder, anOrganization, aTenant, type TestTenant } from '../support/factories.ts';
import { expectIssues, expectRefusal } from './users-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

const path = '/v2/organizations/documents/count/get';

describe('counting documents', () => {
  it('counts all documents, those of a folder, those outside folders, and those that match filters', async () => {
    const organizationId = await anOrganization(tenant);
    const { folderId } = await aFolder(tenant, { organizationId });
    const { folderId: below } = await aFolder(tenant, { organizationId, parentFolderId: folderId });
    await aDocument(tenant, { organizationId, plan: 'gold' });
    await aDocument(tenant, { organizationId, folderId, plan: 'gold' });
    await aDocument(tenant, { organizationId, folderId, plan: 'lead' });
    await aDocument(tenant, { organizationId, folderId: below });
    const count = async (members: object) => (await tenant.ok(path, { organizationId, ...members })).data;
    expect(await tenant.ok(path, { organizationId })).toEqual({
      status: 'success',
      message: 'Document count retrieved successfully.',
      data: { count: 4 },
    });
    expect(await count({ folderId })).toEqual({ count: 2 });
    expect(await count({ folderId: 'root' })).toEqual({ count: 1 });
    expect(await count({ excludeFolderDocs: true })).toEqual({ count: 1 });
    const filters = [{ key: 'metadata.plan', operator: '==', value: 'gold' }];
    expect(await count({ filters })).toEqual({ count: 2, filtersApplied: true });
    expect(await count({ filters, folderId })).toEqual({ count: 1, filtersApplied: true });
    expect(await count({ filters, folderId: 'root', excludeFolderDocs: false })).toEqual({
      count: 1,
      filtersApplied: true,
    });
    await tenant.ok('/v2/organizations/folders/delete', { organizationId, folderId: below });
    expect(await count({})).toEqual({ count: 3 });
    await tenant.ok('/v2/organizations/folders/delete', { organizationId, folderId });
    expect(await count({})).toEqual({ count: 1 });
  });

  it('rejects missing resources and exclusive members', async () => {
    const organizationId = await anOrganization(tenant);
    const notFound = { http: 404, status: 'NOT_FOUND' };
    await expectRefusal(
      api,
      tenant,
      path,
      { organizationId: 'nowhere' },
      { ...notFound, message: 'Organization does not exist' },
    );
    await expectRefusal(
      api,
      tenant,
      path,
      { organizationId, folderId: 'nowhere' },
      { ...notFound, message: 'Folder does not exist.' },
    );
    const filter = { key: 'plan', operator: '==', value: 1 };
    const refused = async (members: object, issues: Record<string, string>) =>
      expectIssues(api, tenant, path, { organizationId, ...members }, issues);
    await refused(
      { excludeFolderDocs: true, filters: [filter] },
      { 'data.excludeFolderDocs': 'excludeFolderDocs and filters exclude each other.' },
    );
    await refused(
      { excludeFolderDocs: true, folderId: 'f' },
      { 'data.excludeFolderDocs': 'excludeFolderDocs and folderId exclude each other.' },
    );
    await refused(
      { filters: Array.from({ length: 11 }, () => filter) },
      { 'data.filters': 'filters must hold 1 to 10 items, not 11.' },
    );
    await expectIssues(api, tenant, path, {}, { 'data.organizationId': 'organizationId is required.' });
  });
});
