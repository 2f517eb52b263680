import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import { chain, inAnOrganization } from './folder-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

const missing = {
  success: false,
  id: 'nowhere',
  message: 'Folder does not exist.',
  code: 'not-found',
};

describe('the access type of folders', () => {
  it.each([{ accessType: 'restricted' }, { inheritFromParent: true }, { inheritFromParent: false }])(
    'leaves the time of the last update when the folder has it already: %j',
    async (request) => {
      const folders = await inAnOrganization(tenant);
      await folders.add([{ folderId: 'a' }]);
      const before = await folders.get();
      await folders.access(['a'], { accessType: 'organizationPrivate' });
      const changed = await folders.access(['a'], request);
      const first = await folders.get();
      expect(first).not.toEqual(before);
      expect(await folders.access(['a'], request)).toEqual(changed);
      expect(await folders.get()).toEqual(first);
    },
  );

  it('ends inheritance when it is set, and inheritFromParent restores it', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([{ folderId: 'a' }]);
    const set = await folders.access(['a', 'nowhere'], { accessType: 'organizationPrivate' });
    expect(set).toMatchObject({ message: 'Folder access updated successfully.', failedCount: 1 });
    expect(set.data).toEqual({
      a: {
        success: true,
        id: 'a',
        accessType: 'organizationPrivate',
        message: 'Folder access type updated.',
      },
      nowhere: missing,
    });
    expect(await folders.get()).toMatchObject([
      { accessType: 'organizationPrivate', inheritAccessFromParent: false },
    ]);
    const inherited = await folders.access(['a', 'nowhere'], { inheritFromParent: true });
    expect(inherited.message).toBe('Folder access updated successfully.');
    expect(inherited.data).toEqual({
      a: {
        success: true,
        id: 'a',
        accessType: null,
        inheritFromParent: true,
        message: 'Folder access type updated.',
      },
      nowhere: missing,
    });
    expect(await folders.get()).toMatchObject([{ accessType: null, inheritAccessFromParent: true }]);
  });

  it('accepts inheritFromParent: false together with a type', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([{ folderId: 'a' }]);
    const set = await folders.access(['a'], { accessType: 'restricted', inheritFromParent: false });
    expect(set.data['a']).toMatchObject({ success: true, accessType: 'restricted' });
  });

  it('becomes the effective type with only inheritFromParent: false: own, nearest ancestor’s, or the default', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([
      { folderId: 'top' },
      { folderId: 'far', parentFolderId: 'top', accessType: 'restricted' },
      { folderId: 'near', parentFolderId: 'far', accessType: 'organizationPrivate' },
      { folderId: 'between', parentFolderId: 'near' },
      { folderId: 'leaf', parentFolderId: 'between' },
    ]);
    const fixed = await folders.access(['leaf', 'near', 'top'], { inheritFromParent: false });
    expect(fixed.data).toEqual({
      leaf: {
        success: true,
        id: 'leaf',
        accessType: 'organizationPrivate',
        message: 'Folder access type updated.',
      },
      near: {
        success: true,
        id: 'near',
        accessType: 'organizationPrivate',
        message: 'Folder access type updated.',
      },
      top: { success: true, id: 'top', accessType: 'public', message: 'Folder access type updated.' },
    });
    await folders.access(['near'], { accessType: 'restricted' });
    expect(await folders.get({ folderId: 'leaf' })).toMatchObject([
      { accessType: 'organizationPrivate', inheritAccessFromParent: false },
    ]);
    expect(await folders.get({ folderId: 'between' })).toMatchObject([{ accessType: null }]);
  });

  it('becomes the default of the key when no folder has one', async () => {
    const other = await aTenant(api);
    await other.ok('/v2/workspace/apikeyconfig/update', { defaultFolderAccessType: 'restricted' });
    const folders = await inAnOrganization(other);
    await folders.add([{ folderId: 'a' }]);
    const fixed = await folders.access(['a'], { inheritFromParent: false });
    expect(fixed.data['a']?.accessType).toBe('restricted');
  });

  it('is public on v1 by default, where inheritFromParent is ignored', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add(chain(2).map((folder) => ({ ...folder, accessType: 'restricted' })));
    const set = await folders.ok<object>('access/update', { folderIds: ['level-1'] }, { version: 1 });
    expect(set).toMatchObject({
      message: 'Folder access updated successfully.',
      data: {
        'level-1': {
          success: true,
          id: 'level-1',
          accessType: 'public',
          message: 'Folder access type updated.',
        },
      },
    });
    const response = await tenant.call('/v1/organizations/folders/access/update', {
      organizationId: folders.organizationId,
      folderIds: ['level-2'],
      accessType: 'organizationPrivate',
      inheritFromParent: true,
    });
    expect(response.headers['x-ignored-members']).toBe('inheritFromParent');
    expect(response.body.result?.data).toEqual({
      'level-2': {
        success: true,
        id: 'level-2',
        accessType: 'organizationPrivate',
        message: 'Folder access type updated.',
      },
    });
  });

  it.each([
    [{ folderIds: ['a'] }, 'At least one of accessType or inheritFromParent must be provided.'],
    [
      { folderIds: ['a'], accessType: 'public', inheritFromParent: true },
      'accessType and inheritFromParent exclude each other.',
    ],
    [{ folderIds: ['a'], accessType: null }, 'accessType must not be null.'],
    [{ folderIds: ['a'], inheritFromParent: null }, 'inheritFromParent must not be null.'],
    [{ folderIds: ['a'], inheritFromParent: 'true' }, 'inheritFromParent must be a boolean.'],
    [
      { folderIds: ['a'], accessType: 'Public' },
      'accessType must be one of: public, organizationPrivate, restricted.',
    ],
    [{ folderIds: ['root'], accessType: 'public' }, 'folderIds[0] must not be root.'],
    [{ folderIds: [], accessType: 'public' }, 'folderIds must hold 1 to 1000 items, not 0.'],
    [{ accessType: 'public' }, 'folderIds is required.'],
  ])('rejects %j on v2', async (members, message) => {
    const folders = await inAnOrganization(tenant);
    await folders.add([{ folderId: 'a' }]);
    expect(await folders.refused('access/update', members)).toMatchObject({
      http: 400,
      status: 'INVALID_ARGUMENT',
      message,
    });
    expect(await folders.get()).toMatchObject([{ accessType: null }]);
  });

  it('rejects root and null on v1', async () => {
    const folders = await inAnOrganization(tenant);
    const message = async (members: object) => (await folders.refused('access/update', members, 1)).message;
    expect(await message({ folderIds: ['root'] })).toBe('folderIds[0] must not be root.');
    expect(await message({ folderIds: ['a'], accessType: null })).toBe('accessType must not be null.');
  });
});
