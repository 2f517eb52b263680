import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { issuesOf } from '../support/client.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import { chain, expectATree, inAnOrganization, parentsOf, type FolderCalls } from './folder-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

const updated = (id: string) => ({ success: true, id, message: 'Folder Updated.' });
const intoItself = (id: string) => ({
  success: false,
  id,
  message: 'A folder cannot be moved into itself.',
  code: 'failed-precondition',
});

async function withChain(length: number): Promise<FolderCalls> {
  const folders = await inAnOrganization(tenant);
  await folders.add(chain(length));
  return folders;
}

describe('updating folders', () => {
  it('renames, merges metadata member by member, and removes members sent as null', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([{ folderId: 'a', folderName: 'A', keep: 1, replace: { x: 1 }, remove: true }]);
    const [before] = await folders.get();
    const result = await folders.update([
      { folderId: 'a', folderName: 'B', replace: { y: 2 }, remove: null, add: 'new' },
    ]);
    expect(result).toMatchObject({ message: 'Folder Updated successfully.', failedCount: 0 });
    expect(result.data).toEqual({ a: updated('a') });
    const [after] = await folders.get();
    expect(after).toMatchObject({
      folderName: 'B',
      keep: 1,
      replace: { y: 2 },
      add: 'new',
      createdAt: before?.createdAt,
    });
    expect(after).not.toHaveProperty('remove');
    expect(after?.lastUpdated).toBeGreaterThanOrEqual(before?.lastUpdated ?? Infinity);
    await folders.ok('update', { folders: [{ folderId: 'a', add: null }] }, { version: 1 });
    expect((await folders.get())[0]).toMatchObject({ folderName: 'B' });
    expect((await folders.get())[0]).not.toHaveProperty('add');
  });

  it('moves a folder with everything below, to another folder and to the top level', async () => {
    const folders = await withChain(5);
    await folders.add([{ folderId: 'other' }]);
    expect((await folders.update([{ folderId: 'level-3', parentFolderId: 'other' }])).failedCount).toBe(0);
    const [deepest] = await folders.get({ folderId: 'level-5' });
    expect(deepest?.ancestors).toEqual(['root', 'other', 'level-3', 'level-4']);
    expectATree(await folders.get());
    expect((await folders.update([{ folderId: 'level-4', parentFolderId: 'root' }])).failedCount).toBe(0);
    const [moved] = await folders.get({ folderId: 'level-5' });
    expect(moved?.ancestors).toEqual(['root', 'level-4']);
    expectATree(await folders.get());
  });

  it('fails only for folders that are missing or have a missing parent', async () => {
    const folders = await withChain(2);
    const result = await folders.update([
      { folderId: 'nowhere', folderName: 'x' },
      { folderId: 'level-1', parentFolderId: 'nowhere', folderName: 'kept out' },
      { folderId: 'level-2', folderName: 'Renamed' },
    ]);
    expect(result.failedCount).toBe(2);
    expect(result.data).toEqual({
      nowhere: { success: false, id: 'nowhere', message: 'Folder does not exist.', code: 'not-found' },
      'level-1': {
        success: false,
        id: 'level-1',
        message: 'Parent folder does not exist.',
        code: 'not-found',
      },
      'level-2': updated('level-2'),
    });
    expect((await folders.get()).map(({ folderName }) => folderName)).toEqual(['level-1', 'Renamed']);
  });

  it('never moves a folder into itself or below itself', async () => {
    const folders = await withChain(4);
    for (const parentFolderId of ['level-1', 'level-2', 'level-4']) {
      const result = await folders.update([{ folderId: 'level-1', parentFolderId, folderName: 'kept out' }]);
      expect(result.data['level-1']).toEqual(intoItself('level-1'));
    }
    expect(parentsOf(await folders.get())).toEqual(parentsOf(chain(4) as never));
    expect((await folders.get())[0]?.folderName).toBe('level-1');
  });

  it('applies updates in the order sent, each after the previous ones', async () => {
    const folders = await withChain(3);
    const turned = await folders.update([
      { folderId: 'level-3', parentFolderId: 'root' },
      { folderId: 'level-2', parentFolderId: 'level-3' },
      { folderId: 'level-1', parentFolderId: 'level-2' },
    ]);
    expect(turned.failedCount).toBe(0);
    expect(parentsOf(await folders.get())).toEqual({
      'level-3': 'root',
      'level-2': 'level-3',
      'level-1': 'level-2',
    });
    expectATree(await folders.get());
    const refused = await folders.update([
      { folderId: 'level-3', parentFolderId: 'level-1' },
      { folderId: 'level-1', parentFolderId: 'root' },
    ]);
    expect(refused.data).toEqual({ 'level-3': intoItself('level-3'), 'level-1': updated('level-1') });
    expect((await folders.update([{ folderId: 'level-3', parentFolderId: 'level-1' }])).failedCount).toBe(0);
    expectATree(await folders.get());
  });

  it('applies the last of two updates of one folder in its own position', async () => {
    const folders = await withChain(3);
    const result = await folders.update([
      { folderId: 'level-1', parentFolderId: 'level-3' },
      { folderId: 'level-3', parentFolderId: 'root' },
      { folderId: 'level-1', parentFolderId: 'level-3', folderName: 'First' },
    ]);
    expect([result.failedCount, result.data]).toEqual([
      0,
      { 'level-3': updated('level-3'), 'level-1': updated('level-1') },
    ]);
    const [moved] = await folders.get({ folderId: 'level-1' });
    expect(moved).toMatchObject({ folderName: 'First', ancestors: ['root', 'level-3'] });
  });

  it('rejects the second of two moves that form a cycle', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([{ folderId: 'a' }, { folderId: 'b' }]);
    const result = await folders.update([
      { folderId: 'a', parentFolderId: 'b' },
      { folderId: 'b', parentFolderId: 'a' },
    ]);
    expect(result.data).toEqual({ a: updated('a'), b: intoItself('b') });
  });

  it('limits the depth of the target plus the height of the moved folder, also after moves of the same call', async () => {
    const folders = await withChain(40);
    await folders.add(chain(24, 'fits'));
    await folders.add(chain(25, 'over'));
    const result = await folders.update([
      { folderId: 'over-1', parentFolderId: 'level-40' },
      { folderId: 'fits-1', parentFolderId: 'level-40' },
    ]);
    expect(result.data['over-1']).toEqual({
      success: false,
      id: 'over-1',
      message: 'A folder may be nested 64 levels deep.',
      code: 'failed-precondition',
    });
    expect(result.data['fits-1']).toEqual(updated('fits-1'));
    const twice = await folders.update([
      { folderId: 'fits-24', parentFolderId: 'over-1' },
      { folderId: 'over-2', parentFolderId: 'fits-24' },
      { folderId: 'over-1', parentFolderId: 'level-39' },
      { folderId: 'over-1', parentFolderId: 'level-38' },
    ]);
    expect(twice.failedCount).toBe(0);
    const [deepest] = await folders.get({ folderId: 'over-25' });
    expect(deepest?.ancestors).toHaveLength(65 - 1);
    expect((await folders.update([{ folderId: 'over-1', parentFolderId: 'level-39' }])).failedCount).toBe(1);
    expectATree(await folders.get());
  });

  it('moves nothing when the parent is already the current one', async () => {
    const folders = await withChain(3);
    const all = await folders.get();
    expect((await folders.update([{ folderId: 'level-2', parentFolderId: 'level-1' }])).failedCount).toBe(0);
    expect((await folders.update([{ folderId: 'level-1', parentFolderId: 'root' }])).failedCount).toBe(0);
    expect(parentsOf(await folders.get())).toEqual(parentsOf(all));
  });

  it('makes documents inherit from the new parent at once', async () => {
    const folders = await inAnOrganization(tenant);
    const { organizationId } = folders;
    await folders.add([{ folderId: 'closed', accessType: 'restricted' }, { folderId: 'open' }]);
    await folders.add([{ folderId: 'moving', parentFolderId: 'open' }]);
    await tenant.ok('/v2/organizations/documents/add', {
      organizationId,
      folderId: 'moving',
      documents: [{ documentId: 'd' }],
    });
    const accessType = async () =>
      (await tenant.ok('/v2/organizations/documents/get', { organizationId })).data;
    expect(await accessType()).toMatchObject([{ accessType: 'public' }]);
    await folders.update([{ folderId: 'moving', parentFolderId: 'closed' }]);
    expect(await accessType()).toMatchObject([{ accessType: 'restricted' }]);
  });

  it('replays a move with the same Idempotency-Key', async () => {
    const folders = await withChain(2);
    const data = { folders: [{ folderId: 'level-2', parentFolderId: 'root' }] };
    const first = await folders.ok('update', data, { idempotencyKey: 'once' });
    await folders.update([{ folderId: 'level-2', parentFolderId: 'level-1' }]);
    expect(await folders.ok('update', data, { idempotencyKey: 'once' })).toEqual(first);
    expect(parentsOf(await folders.get())).toEqual({ 'level-1': 'root', 'level-2': 'level-1' });
  });

  it.each([
    [{ folderId: 'a' }, { 'data.folders[0]': 'At least one member besides folderId must be provided.' }],
    [
      { folderId: 'root', folderName: 'x' },
      { 'data.folders[0].folderId': 'folders[0].folderId must not be root.' },
    ],
    [
      { folderId: 'a', folderName: null },
      { 'data.folders[0].folderName': 'folders[0].folderName must not be null.' },
    ],
    [
      { folderId: 'a', parentFolderId: '' },
      { 'data.folders[0].parentFolderId': 'folders[0].parentFolderId must not be empty.' },
    ],
    [
      { folderId: 'a', accessType: 'public' },
      { 'data.folders[0].accessType': 'Unknown member: folders[0].accessType.' },
    ],
    [
      { folderId: 'a', subFolders: [] },
      { 'data.folders[0].subFolders': 'Unknown member: folders[0].subFolders.' },
    ],
    [
      { folderId: 'a', big: 'x'.repeat(16_384) },
      { 'data.folders[0]': 'folders[0] must hold at most 16 KiB of free metadata.' },
    ],
  ])('rejects %j', async (folder, issues) => {
    const folders = await inAnOrganization(tenant);
    const refused = await folders.refused('update', { folders: [folder] });
    expect(refused).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
    expect(issuesOf(refused)).toEqual(issues);
  });

  it('ignores response members on v1, and rejects a folder with no other member', async () => {
    const folders = await withChain(1);
    const [folder] = await folders.get();
    const { accessType: _null, ...sent } = folder ?? {};
    await folders.ok('update', { folders: [{ ...sent, folderName: 'again' }] }, { version: 1 });
    expect((await folders.get())[0]?.folderName).toBe('again');
    expect(
      await folders.refused('update', { folders: [{ folderId: 'level-1', apiKey: 'x' }] }, 1),
    ).toMatchObject({
      message: 'At least one member besides folderId must be provided.',
    });
  });

  it('returns NOT_FOUND for a missing organization', async () => {
    expect(
      await tenant.refused('/v2/organizations/folders/update', {
        organizationId: 'nowhere',
        folders: [{ folderId: 'a', folderName: 'x' }],
      }),
    ).toMatchObject({ http: 404, message: 'Organization does not exist' });
  });
});
