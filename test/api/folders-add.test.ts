import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { issuesOf } from '../support/client.ts';
import { aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { chain, expectATree, inAnOrganization, parentsOf } from './folder-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

describe('adding folders', () => {
  it('returns an outcome per id, and stores every member and nothing else', async () => {
    const folders = await inAnOrganization(tenant);
    const before = Date.now();
    const added = await folders.add([
      { folderId: 'plans', folderName: 'Plans', color: 'blue', nested: { deep: [1, null] } },
      { folderId: 'drafts', parentFolderId: 'plans', accessType: 'restricted' },
    ]);
    expect(added).toMatchObject({
      status: 'success',
      message: 'Folder created successfully.',
      failedCount: 0,
    });
    expect(added.data).toEqual({
      plans: { success: true, id: 'plans', message: 'Folder added.' },
      drafts: { success: true, id: 'drafts', message: 'Folder added.' },
    });
    const [drafts, plans] = await folders.get();
    expect(plans).toEqual({
      folderId: 'plans',
      folderName: 'Plans',
      organizationId: folders.organizationId,
      parentFolderId: 'root',
      apiKey: tenant.apiKey,
      createdAt: expect.any(Number),
      lastUpdated: plans?.createdAt,
      ancestors: ['root'],
      accessType: null,
      inheritAccessFromParent: true,
      color: 'blue',
      nested: { deep: [1, null] },
    });
    expect(plans?.createdAt).toBeGreaterThanOrEqual(before - 1_000);
    expect(plans?.createdAt).toBeLessThanOrEqual(Date.now() + 1_000);
    expect(drafts).toMatchObject({
      folderName: 'drafts',
      parentFolderId: 'plans',
      ancestors: ['root', 'plans'],
      accessType: 'restricted',
      inheritAccessFromParent: false,
    });
  });

  it('creates parents before children, whatever the order sent', async () => {
    const folders = await inAnOrganization(tenant);
    const levels = chain(64);
    const added = await folders.add(levels.toReversed());
    expect(added.failedCount).toBe(0);
    expect(Object.keys(added.data)).toEqual(levels.map(({ folderId }) => folderId).toReversed());
    const all = await folders.get();
    expect(all).toHaveLength(64);
    expectATree(all);
  });

  it('accepts 1,000 folders at once, below existing folders and folders of the same call', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add(chain(3));
    const added = await folders.add(
      Array.from({ length: 1_000 }, (_, n) => ({
        folderId: `f-${String(n)}`,
        parentFolderId: n === 0 ? 'level-3' : `f-${String(Math.floor((n - 1) / 7))}`,
      })),
    );
    expect(added.failedCount).toBe(0);
    expectATree(await folders.get());
  });

  it('accepts a name of 1,000 characters, however many bytes or code units each has', async () => {
    const folders = await inAnOrganization(tenant);
    const folderName = '😀'.repeat(1_000);
    await folders.add([{ folderId: 'smiling', folderName }]);
    expect(await folders.get()).toMatchObject([{ folderName }]);
  });

  it('fails for existing folders, but adds folders below them', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([{ folderId: 'a', folderName: 'first' }]);
    const again = await folders.add([
      { folderId: 'a', folderName: 'second' },
      { folderId: 'b', parentFolderId: 'a' },
    ]);
    expect(again.failedCount).toBe(1);
    expect(again.data['a']).toEqual({
      success: false,
      id: 'a',
      message: 'Folder already exists.',
      code: 'already-exists',
    });
    expect(again.data['b']?.success).toBe(true);
    expect((await folders.get()).map(({ folderName }) => folderName)).toEqual(['first', 'b']);
  });

  it('fails for folders without a parent, for those below them, and for cycles', async () => {
    const folders = await inAnOrganization(tenant);
    const added = await folders.add([
      { folderId: 'orphan', parentFolderId: 'nowhere' },
      { folderId: 'child', parentFolderId: 'orphan' },
      { folderId: 'self', parentFolderId: 'self' },
      { folderId: 'x', parentFolderId: 'y' },
      { folderId: 'y', parentFolderId: 'x' },
      { folderId: 'good' },
    ]);
    expect(added.failedCount).toBe(5);
    for (const id of ['orphan', 'child', 'self', 'x', 'y']) {
      expect(added.data[id]).toEqual({
        success: false,
        id,
        message: 'Parent folder does not exist.',
        code: 'not-found',
      });
    }
    expect(parentsOf(await folders.get())).toEqual({ good: 'root' });
  });

  it('fails for folders deeper than 64 levels, and for those below them', async () => {
    const folders = await inAnOrganization(tenant);
    const added = await folders.add(chain(66));
    expect(added.failedCount).toBe(2);
    expect(added.data['level-65']).toEqual({
      success: false,
      id: 'level-65',
      message: 'A folder may be nested 64 levels deep.',
      code: 'failed-precondition',
    });
    expect(added.data['level-66']?.message).toBe('Parent folder does not exist.');
    const below = await folders.add([{ folderId: 'later', parentFolderId: 'level-64' }]);
    expect(below.data['later']?.code).toBe('failed-precondition');
    expect((await folders.add([{ folderId: 'beside', parentFolderId: 'level-63' }])).failedCount).toBe(0);
  });

  it('uses the last of two records with the same id', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([
      { folderId: 'a', folderName: 'one' },
      { folderId: 'a', folderName: 'two' },
    ]);
    expect((await folders.get()).map(({ folderName }) => folderName)).toEqual(['two']);
  });

  it('creates the organization only with the flag, and names the flag otherwise', async () => {
    const organizationId = freshId('organization');
    const data = { organizationId, folders: [{ folderId: 'a' }] };
    expect(await tenant.refused('/v2/organizations/folders/add', data)).toMatchObject({
      http: 404,
      status: 'NOT_FOUND',
      message:
        'Organization does not exist. Add it with POST /v2/organizations/add or send createOrganization: true.',
    });
    await tenant.ok('/v1/organizations/folders/add', { ...data, createOrganization: true });
    const read = await tenant.ok('/v1/organizations/folders/get', { organizationId });
    expect(read.data).toMatchObject([{ folderId: 'a', organizationId }]);
  });

  it('adds an id once when 100 callers add it concurrently', async () => {
    const folders = await inAnOrganization(tenant);
    const calls = await Promise.all(
      Array.from({ length: 100 }, async () =>
        folders.add([{ folderId: 'a' }, { folderId: 'b', parentFolderId: 'a' }]),
      ),
    );
    expect(calls.filter(({ failedCount }) => failedCount === 0)).toHaveLength(1);
    expect(await folders.get()).toHaveLength(2);
  });

  it('keeps hostile ids and names byte for byte', async () => {
    const folders = await inAnOrganization(tenant);
    const ids = [
      ' leading and trailing ',
      '../../etc/passwd',
      '%2e%2e%2f',
      `quotes'"\\{},;--`,
      '{1,2}',
      'NULL',
      '__proto__',
      'constructor',
      'toString',
      'Root',
      'ROOT',
      'root ',
      '😀'.repeat(250),
      '\u00e9',
      'e\u0301',
    ];
    const added = await folders.add(
      ids.map((folderId, n) => ({
        folderId,
        folderName: `name of ${folderId}`,
        parentFolderId: ids[n - 1] ?? 'root',
      })),
    );
    expect(added.failedCount).toBe(0);
    expect(Object.keys(added.data).toSorted()).toEqual(ids.toSorted());
    const [top] = await folders.get({ folderId: ids[0], maxDepth: 64 });
    let at = top;
    for (const [n, id] of ids.entries()) {
      expect(at).toMatchObject({
        folderId: id,
        folderName: `name of ${id}`,
        ancestors: ['root', ...ids.slice(0, n)],
      });
      at = at?.subFolders?.[0];
    }
  });

  it('rejects malformed input, names every member, and writes nothing', async () => {
    const folders = await inAnOrganization(tenant);
    const refused = await folders.refused('add', {
      folders: [
        { folderId: 'root' },
        { folderId: '' },
        { folderId: 'é'.repeat(501) },
        { folderId: 'a\nb' },
        { folderId: 'ok', parentFolderId: null },
        { folderId: 'ok2', accessType: 'private' },
        { folderId: 'ok3', folderName: 5 },
        { folderName: 'nameless' },
        { folderId: 'ok4', folderName: '😀'.repeat(1_001) },
        { folderId: 'ok5', accessType: null },
      ],
    });
    expect(refused).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
    expect(issuesOf(refused)).toEqual({
      'data.folders[0].folderId': 'folders[0].folderId must not be root.',
      'data.folders[1].folderId': 'folders[1].folderId must not be empty.',
      'data.folders[2].folderId': 'folders[2].folderId must be at most 1000 bytes.',
      'data.folders[3].folderId': 'folders[3].folderId must not contain control characters.',
      'data.folders[4].parentFolderId': 'folders[4].parentFolderId must not be null.',
      'data.folders[5].accessType':
        'folders[5].accessType must be one of: public, organizationPrivate, restricted.',
      'data.folders[6].folderName': 'folders[6].folderName must be a string.',
      'data.folders[7].folderId': 'folders[7].folderId is required.',
      'data.folders[8].folderName': 'folders[8].folderName must be at most 1000 characters.',
      'data.folders[9].accessType': 'folders[9].accessType must not be null.',
    });
    expect((await folders.refused('add', { folders: [] })).message).toBe(
      'folders must hold 1 to 1000 items, not 0.',
    );
    const many = Array.from({ length: 1_001 }, (_, n) => ({ folderId: String(n) }));
    expect((await folders.refused('add', { folders: many })).message).toBe(
      'folders must hold 1 to 1000 items, not 1001.',
    );
    expect(await folders.get()).toEqual([]);
  });

  it('rejects members that only responses have on v2, and ignores them on v1', async () => {
    const folders = await inAnOrganization(tenant);
    const sent = {
      folderId: 'a',
      apiKey: 'x',
      ancestors: ['y'],
      subFolders: 'z',
      inheritAccessFromParent: 1,
      _hidden: 1,
    };
    const refused = await folders.refused('add', { folders: [sent] });
    expect(Object.keys(issuesOf(refused)).toSorted()).toEqual(
      ['_hidden', 'ancestors', 'apiKey', 'inheritAccessFromParent', 'subFolders'].map(
        (member) => `data.folders[0].${member}`,
      ),
    );
    const response = await tenant.call('/v1/organizations/folders/add', {
      organizationId: folders.organizationId,
      folders: [sent],
    });
    expect(response.status).toBe(200);
    expect(String(response.headers['x-ignored-members']).split(',')).toHaveLength(5);
    const [read] = await folders.get({ folderId: 'a' });
    expect(read).toMatchObject({ apiKey: tenant.apiKey, ancestors: ['root'], subFolders: [] });
    expect(read).not.toHaveProperty('_hidden');
  });

  it('does not show the folders to another key', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([{ folderId: 'a' }]);
    const stranger = await aTenant(api);
    for (const operation of ['get', 'delete', 'update', 'access/update']) {
      const refused = await stranger.refused(`/v2/organizations/folders/${operation}`, {
        organizationId: folders.organizationId,
        ...(operation === 'delete' && { folderId: 'a' }),
        ...(operation === 'update' && { folders: [{ folderId: 'a', folderName: 'mine' }] }),
        ...(operation === 'access/update' && { folderIds: ['a'], accessType: 'public' }),
      });
      expect(refused).toMatchObject({ http: 404, message: 'Organization does not exist' });
    }
    await stranger.ok('/v2/organizations/folders/add', {
      organizationId: folders.organizationId,
      createOrganization: true,
      folders: [{ folderId: 'b', parentFolderId: 'a' }],
    });
    expect(parentsOf(await folders.get())).toEqual({ a: 'root' });
  });
});
