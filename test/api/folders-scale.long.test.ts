import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aPatientDatabase } from '../support/database.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import { explain, statementsOf } from '../support/statements.ts';
import {
  chain,
  expectATree,
  inAnOrganization,
  type FolderResponse,
  type FolderCalls,
} from './folder-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi({ database: await aPatientDatabase() });
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

/** A tree below `top` in which every folder has up to `branching` subfolders. */
async function addTree(folders: FolderCalls, count: number, branching = 9): Promise<void> {
  const all = Array.from({ length: count }, (_, n) => ({
    folderId: `f${String(n)}`,
    parentFolderId: n === 0 ? 'top' : `f${String(Math.floor((n - 1) / branching))}`,
  }));
  for (let start = 0; start < count; start += 1_000) {
    const added = await folders.add(all.slice(start, start + 1_000));
    expect(added.failedCount).toBe(0);
  }
}

describe('the folder tree', () => {
  it('never contains a cycle after 100 pairs of concurrent opposite moves', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([{ folderId: 'a' }, { folderId: 'b' }, { folderId: 'c', parentFolderId: 'b' }]);
    for (let round = 0; round < 100; round += 1) {
      const [there, back] = await Promise.all([
        folders.update([{ folderId: 'a', parentFolderId: 'c' }]),
        folders.update([{ folderId: 'b', parentFolderId: 'a' }]),
      ]);
      expect(there.failedCount).not.toBe(back.failedCount);
      expectATree(await folders.get());
      await folders.update([
        { folderId: 'a', parentFolderId: 'root' },
        { folderId: 'b', parentFolderId: 'root' },
      ]);
    }
  });

  it('is complete for every reader during moves', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([...chain(20), ...chain(20, 'other')]);
    const moves = new AbortController();
    const reading = Array.from({ length: 3 }, async () => {
      let reads = 0;
      for (; !moves.signal.aborted; reads += 1) expectATree(await folders.get());
      return reads;
    });
    try {
      for (let round = 0; round < 60; round += 1) {
        const at = String((round % 18) + 2);
        await folders.update([{ folderId: `level-${at}`, parentFolderId: `other-${at}` }]);
        await folders.update([
          { folderId: `level-${at}`, parentFolderId: `level-${String(Number(at) - 1)}` },
        ]);
      }
    } finally {
      moves.abort();
    }
    expect(Math.min(...(await Promise.all(reading)))).toBeGreaterThan(0);
  });

  it('has correct ancestors of 10,000 folders as soon as their move returns', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([{ folderId: 'top' }, ...chain(5)]);
    await addTree(folders, 10_000);
    const before = await folders.get();
    expect((await folders.update([{ folderId: 'f0', parentFolderId: 'level-5' }])).failedCount).toBe(0);
    const after = await folders.get();
    expect(after).toHaveLength(before.length);
    expectATree(after);
    const above = ['root', ...chain(5).map(({ folderId }) => folderId)];
    const moved = after.filter(({ folderId }) => folderId.startsWith('f'));
    expect(moved.every(({ ancestors }) => above.every((id, index) => ancestors[index] === id))).toBe(true);
    // Folders that the call does not name keep `lastUpdated`.
    expect(moved.filter(({ createdAt, lastUpdated }) => lastUpdated !== createdAt)).toMatchObject([
      { folderId: 'f0' },
    ]);
    const { jobId } = await folders.delete('f0');
    expect(jobId).toBeDefined();
    expect(await folders.get()).toHaveLength(6);
  });

  it('uses as many statements for 1,000 folders as for one', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([{ folderId: 'top' }, { folderId: 'other' }]);
    const count = async (act: () => Promise<unknown>): Promise<number> => (await statementsOf(act)).length;
    const many = (from: number, members: object = {}) =>
      Array.from({ length: 1_000 }, (_, n) => ({ folderId: `m${String(from + n)}`, ...members }));
    const one = await count(async () => folders.add([{ folderId: 'one', parentFolderId: 'top' }]));
    expect(await count(async () => folders.add(many(0, { parentFolderId: 'one' })))).toBe(one);
    const move = await count(async () =>
      folders.update([{ folderId: 'one', parentFolderId: 'other', x: 1 }]),
    );
    expect(await count(async () => folders.update(many(0, { parentFolderId: 'top', x: 1 })))).toBe(move);
    const open = { accessType: 'public' };
    const access = await count(async () => folders.access(['one'], open));
    const ids = many(0).map(({ folderId }) => folderId);
    expect(await count(async () => folders.access(ids, open))).toBe(access);
    const small = await count(async () => folders.get({ folderId: 'one', maxDepth: 64 }));
    expect(await count(async () => folders.get({ folderId: 'top', maxDepth: 64 }))).toBe(small);
    const leaf = await count(async () => folders.delete('one'));
    expect(await count(async () => folders.delete('top'))).toBe(leaf);
  });
});

describe('statements about folders', () => {
  it('stay fast when connections cache plans made for few rows', async () => {
    const young = await startTestApi({ database: await aPatientDatabase() });
    try {
      // Only new statistics make a connection re-plan, and they always lag.
      await young.database.sql('alter table folder set (autovacuum_enabled = false)');
      const folders = await inAnOrganization(await aTenant(young));
      await folders.add([{ folderId: 'top' }, ...chain(5)]);
      const everything = async (folderId: string): Promise<void> => {
        await folders.update([{ folderId, parentFolderId: 'level-5', n: 1 }]);
        await folders.get({ folderId: 'root', maxDepth: 64 });
        await folders.get();
        await folders.access([folderId], { inheritFromParent: false });
        await folders.delete(folderId);
      };
      for (let round = 0; round < 12; round += 1) {
        await folders.add([{ folderId: 'small' }, { folderId: 'below', parentFolderId: 'small' }]);
        await everything('small');
      }
      await addTree(folders, 9_000);
      // A table scan per folder would exceed the statement timeout.
      await everything('f0');
      expect(await folders.get()).toHaveLength(6);
    } finally {
      await young.close();
    }
  });

  it('find every row by an index condition', async () => {
    const folders = await inAnOrganization(tenant);
    await folders.add([{ folderId: 'top' }, ...chain(3)]);
    await addTree(folders, 300);
    // Statistics of ten million folders, ten in each: for a few hundred a table scan is the better plan.
    await api.database.sql('alter table folder set (autovacuum_enabled = false)');
    await api.database.sql('alter table folder alter column parent_id set (n_distinct = -0.1)');
    await api.database.sql('analyze folder');
    await api.database.sql("update pg_class set reltuples = 1e7 where oid = 'folder'::regclass");
    const first = await folders.ok<FolderResponse[]>('get', { pageSize: 5 });
    const sent = await statementsOf(async () => {
      await folders.get({ folderId: 'top', maxDepth: 3 });
      await folders.get({ folderId: 'root', maxDepth: 3 });
      await folders.get({ pageSize: 5, pageToken: first.nextPageToken });
      await folders.get({ rootFoldersOnly: true });
      await folders.add([{ folderId: 'new', parentFolderId: 'top' }]);
      await folders.update([{ folderId: 'f0', parentFolderId: 'level-3', folderName: 'x' }]);
      await folders.access(['f0', 'f1'], { inheritFromParent: false });
      await folders.delete('f0');
    });
    const ours = sent.filter(({ text }) => /\bfolder\b/.test(text) && !text.startsWith('insert into folder'));
    expect(ours.length).toBeGreaterThanOrEqual(10);
    for (const statement of ours) {
      const { wholeTables, indexes } = await explain(api.database, statement);
      expect({ text: statement.text, wholeTables }).toEqual({ text: statement.text, wholeTables: [] });
      if (!statement.text.includes('nextval')) expect(indexes.join()).toMatch(/folder_/);
    }
    const indexesOf = async (part: RegExp, without?: RegExp) => {
      const statement = ours.find(({ text }) => part.test(text) && without?.test(text) !== true);
      if (statement === undefined) throw new Error(`No statement has ${String(part)}.`);
      return (await explain(api.database, statement)).indexes;
    };
    expect(await indexesOf(/bounded[\s\S]*order by f.name/)).toContain('folder_parent');
    expect(await indexesOf(/with page/, /parent_id is null/)).toContain('folder_ext');
    expect(await indexesOf(/with page[\s\S]*parent_id is null/)).toContain('folder_root');
  });
});
