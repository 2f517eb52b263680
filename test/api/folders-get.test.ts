import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { issuesOf } from '../support/client.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import { chain, inAnOrganization, parentsOf, type FolderResponse, type FolderCalls } from './folder-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

/** Folder ids nested like the folders; null where `subFolders` is absent. */
type Shape = { [folderId: string]: Shape | null };
const shape = (folders: readonly FolderResponse[]): Shape =>
  Object.fromEntries(
    folders.map(({ folderId, subFolders }) => [
      folderId,
      subFolders === undefined ? null : shape(subFolders),
    ]),
  );

async function aTree(): Promise<FolderCalls> {
  const folders = await inAnOrganization(tenant);
  await folders.add([
    { folderId: 'a' },
    { folderId: 'a1', parentFolderId: 'a' },
    { folderId: 'a2', parentFolderId: 'a' },
    { folderId: 'a11', parentFolderId: 'a1' },
    { folderId: 'a111', parentFolderId: 'a11' },
    { folderId: 'b' },
  ]);
  return folders;
}

describe('reading one folder', () => {
  it('nests subfolders down to maxDepth, one level by default', async () => {
    const folders = await aTree();
    const tree = async (maxDepth?: number) => shape(await folders.get({ folderId: 'a', maxDepth }));
    expect(await tree(0)).toEqual({ a: null });
    expect(await tree()).toEqual({ a: { a1: null, a2: null } });
    expect(await tree(1)).toEqual({ a: { a1: null, a2: null } });
    expect(await tree(2)).toEqual({ a: { a1: { a11: null }, a2: {} } });
    expect(await tree(64)).toEqual({ a: { a1: { a11: { a111: {} } }, a2: {} } });
    expect(shape(await folders.get({ folderId: 'b' }))).toEqual({ b: {} });
  });

  it('returns the ancestors of every nested folder from the top', async () => {
    const folders = await aTree();
    const [a1] = await folders.get({ folderId: 'a1', maxDepth: 3 });
    expect(a1?.ancestors).toEqual(['root', 'a']);
    const a111 = a1?.subFolders?.[0]?.subFolders?.[0];
    expect(a111).toMatchObject({
      folderId: 'a111',
      parentFolderId: 'a11',
      ancestors: ['root', 'a', 'a1', 'a11'],
    });
  });

  it('returns the children of root with one level less', async () => {
    const folders = await aTree();
    const tree = async (maxDepth?: number) => shape(await folders.get({ folderId: 'root', maxDepth }));
    expect(await tree(0)).toEqual({});
    expect(await tree()).toEqual({ a: null, b: null });
    expect(await tree(2)).toEqual({ a: { a1: null, a2: null }, b: {} });
    expect(await tree(64)).toEqual({ a: { a1: { a11: { a111: {} } }, a2: {} }, b: {} });
  });

  it('sorts subfolders by name, then id, byte by byte', async () => {
    const folders = await inAnOrganization(tenant);
    const named: [string, string][] = [
      ['z', 'alpha'],
      ['b', 'beta'],
      ['a', 'beta'],
      ['B', 'beta'],
      ['k', 'Zulu'],
      ['j', 'ähnlich'],
      ['i', ''],
    ];
    await folders.add([
      { folderId: 'top' },
      ...named.map(([folderId, folderName]) => ({ folderId, folderName, parentFolderId: 'top' })),
    ]);
    const [top] = await folders.get({ folderId: 'top' });
    expect(top?.subFolders?.map(({ folderId }) => folderId)).toEqual(['i', 'k', 'z', 'B', 'a', 'b', 'j']);
  });

  it('returns another message than the list of all folders', async () => {
    const folders = await aTree();
    const message = async (members: object) => (await folders.ok('get', members)).message;
    expect(await message({})).toBe('Folders retrieved successfully.');
    expect(await message({ rootFoldersOnly: true })).toBe('Folders retrieved successfully.');
    expect(await message({ folderId: 'a' })).toBe('Folder(s) retrieved successfully.');
    expect(await message({ folderId: 'root' })).toBe('Folder(s) retrieved successfully.');
  });

  it('returns NOT_FOUND for a folder that the organization does not have', async () => {
    const folders = await aTree();
    const elsewhere = await inAnOrganization(tenant);
    for (const calls of [folders, elsewhere]) {
      const folderId = calls === folders ? 'nowhere' : 'a';
      expect(await calls.refused('get', { folderId })).toMatchObject({
        http: 404,
        status: 'NOT_FOUND',
        message: 'Folder does not exist.',
      });
    }
    expect(
      await tenant.refused('/v2/organizations/folders/get', { organizationId: 'nowhere', folderId: 'root' }),
    ).toMatchObject({ http: 404, message: 'Organization does not exist' });
  });

  it('rejects a response of more than 10,000 folders, and names maxDepth', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([{ folderId: 'top' }]);
    for (let batch = 0; batch < 10; batch += 1) {
      await folders.add(
        Array.from({ length: 1_000 }, (_, n) => ({
          folderId: `f-${String(batch)}-${String(n)}`,
          parentFolderId: 'top',
        })),
      );
    }
    const refused = await folders.refused('get', { folderId: 'top' });
    expect(refused).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
    expect(issuesOf(refused)).toEqual({
      'data.maxDepth': 'maxDepth is too large: the response would contain more than 10,000 folders.',
    });
    expect(issuesOf(await folders.refused('get', { folderId: 'root', maxDepth: 2 }))).toHaveProperty([
      'data.maxDepth',
    ]);
    expect(await folders.get({ folderId: 'top', maxDepth: 0 })).toHaveLength(1);
    await folders.delete('f-0-0');
    const [top] = await folders.get({ folderId: 'top' });
    expect(top?.subFolders).toHaveLength(9_999);
    expect(await folders.get()).toHaveLength(10_000);
  });

  it('rejects a response of more than 10 MiB, even of ancestors alone, and names maxDepth', async () => {
    const folders = await inAnOrganization(tenant);
    const levels = chain(60, 'n'.repeat(990));
    await folders.add(levels);
    const parentFolderId = levels.at(-1)?.folderId;
    for (const half of ['a', 'b']) {
      await folders.add(
        Array.from({ length: 900 }, (_, n) => ({ folderId: `${half}${String(n)}`, parentFolderId })),
      );
    }
    const refused = await folders.refused('get', { folderId: 'root', maxDepth: 64 });
    expect(issuesOf(refused)).toEqual({
      'data.maxDepth': 'maxDepth is too large: the response would contain more than 10 MiB.',
    });
    expect(await folders.get({ folderId: 'root', maxDepth: 60 })).toHaveLength(1);
  });
});

describe('reading all folders', () => {
  it('returns everything in byte order of ids on both versions, when no page is requested', async () => {
    const folders = await inAnOrganization(tenant);
    const ids = ['b', 'B', 'ü', 'u', '10', '9', ...Array.from({ length: 900 }, (_, n) => `x${String(n)}`)];
    await folders.add(
      ids.map((folderId, n) => ({ folderId, parentFolderId: ids[n - 1 - (n % 50)] ?? 'root' })),
    );
    const sorted = ids.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
    for (const version of [1, 2] as const) {
      const all = await folders.ok<FolderResponse[]>('get', {}, { version });
      expect(all.data.map(({ folderId }) => folderId)).toEqual(sorted);
      expect(all).not.toHaveProperty('nextPageToken');
      expect(all.data.every((folder) => !('subFolders' in folder))).toBe(true);
    }
  });

  it('returns pages whose tokens are valid for the same request only', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add(Array.from({ length: 7 }, (_, n) => ({ folderId: `f${String(n)}` })));
    const seen: string[] = [];
    let pageToken: string | undefined;
    do {
      const page = await folders.ok<FolderResponse[]>('get', { pageSize: 3, pageToken });
      seen.push(...page.data.map(({ folderId }) => folderId));
      pageToken = page.nextPageToken;
      if (seen.length === 3) {
        const refused = await folders.refused('get', { pageSize: 3, pageToken, rootFoldersOnly: true });
        expect(refused.message).toBe('pageToken is not valid.');
        await folders.add([{ folderId: 'a-before-the-page' }]);
      }
    } while (pageToken !== undefined);
    expect(seen).toEqual(['f0', 'f1', 'f2', 'f3', 'f4', 'f5', 'f6']);
  });

  it('refuses a forged page token before it looks for the organization', async () => {
    const request = { organizationId: 'none', pageToken: 'x' };
    for (const path of ['organizations/folders/get', 'organizations/documents/get', 'crdt/get']) {
      const data = path === 'crdt/get' ? { ...request, documentId: 'none' } : request;
      expect((await tenant.refused(`/v2/${path}`, data)).message).toBe('pageToken is not valid.');
    }
  });

  it('returns top folders only, also in pages', async () => {
    const folders = await aTree();
    expect(parentsOf(await folders.get({ rootFoldersOnly: true }))).toEqual({ a: 'root', b: 'root' });
    expect(await folders.get({ rootFoldersOnly: false })).toHaveLength(6);
    const first = await folders.ok<FolderResponse[]>('get', { rootFoldersOnly: true, pageSize: 1 });
    expect(first.data).toMatchObject([{ folderId: 'a' }]);
    const next = { rootFoldersOnly: true, pageSize: 1, pageToken: first.nextPageToken };
    expect(await folders.get(next)).toMatchObject([{ folderId: 'b' }]);
  });

  it('returns an empty list for an empty organization', async () => {
    const folders = await inAnOrganization(tenant);
    expect(await folders.get()).toEqual([]);
    expect(await folders.get({ folderId: 'root', maxDepth: 64 })).toEqual([]);
  });

  it.each([
    [{ folderId: 'a', rootFoldersOnly: true }, 'folderId and rootFoldersOnly exclude each other.'],
    [{ folderId: 'a', pageSize: 10 }, 'folderId and pageSize exclude each other.'],
    [{ folderId: 'a', pageToken: 'x' }, 'folderId and pageToken exclude each other.'],
    [{ folderId: 'a', maxDepth: -1 }, 'maxDepth must be an integer from 0 to 64.'],
    [{ folderId: 'a', maxDepth: 65 }, 'maxDepth must be an integer from 0 to 64.'],
    [{ folderId: 'a', maxDepth: 1.5 }, 'maxDepth must be an integer from 0 to 64.'],
    [{ folderId: 'a', maxDepth: '1' }, 'maxDepth must be an integer from 0 to 64.'],
    [{ folderId: 'a', maxDepth: null }, 'maxDepth must not be null.'],
    [{ folderId: null }, 'folderId must not be null.'],
    [{ rootFoldersOnly: 'yes' }, 'rootFoldersOnly must be a boolean.'],
    [{ pageSize: 0 }, 'pageSize must be an integer from 1 to 1000.'],
    [{ pageToken: 'forged' }, 'pageToken is not valid.'],
    [{ maxdepth: 1 }, 'Unknown member: maxdepth.'],
  ])('rejects %j', async (members, message) => {
    const folders = await inAnOrganization(tenant);
    expect(await folders.refused('get', members)).toMatchObject({
      http: 400,
      status: 'INVALID_ARGUMENT',
      message,
    });
  });

  it('returns 64 levels of ids of max length', async () => {
    const folders = await inAnOrganization(tenant);
    const levels = chain(64, 'n'.repeat(990));
    await folders.add(levels);
    const all = await folders.get();
    expect(all.at(-1)?.ancestors.length).toBeGreaterThan(1);
    expect(Math.max(...all.map(({ ancestors }) => ancestors.length))).toBe(64);
  });
});
