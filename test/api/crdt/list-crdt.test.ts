import { describe, expect, it } from '@jest/globals';
import { statementsOf } from '../../support/statements.ts';
import { crdtScene, path } from './crdt-scene.ts';

const scene = await crdtScene();
const { api, add, update } = scene;

interface Summary {
  readonly id: string;
  readonly version: number;
  readonly contentBytes: number | null;
}

const list = async (members: object = {}) =>
  scene.tenant.ok<Summary[]>(path('list'), { ...scene.document, ...members });

describe('the list of the editors of a document', () => {
  it('has type, size and version of each, and no content', async () => {
    await add({
      editorId: 'b',
      type: 'map',
      contentKey: 'body',
      data: { title: 'Plän' },
      lastUpdatedBy: 'mary',
    });
    await add({ editorId: 'a', type: 'text', data: 'one' });
    const { data } = await list();
    expect(data).toEqual([
      {
        id: 'a',
        type: 'text',
        contentKey: 'content',
        version: 1,
        contentBytes: Buffer.byteLength('"one"'),
        lastUpdate: expect.any(String),
        lastUpdatedBy: '',
      },
      {
        id: 'b',
        type: 'map',
        contentKey: 'body',
        version: 1,
        contentBytes: Buffer.byteLength('{"title":"Plän"}'),
        lastUpdate: expect.any(String),
        lastUpdatedBy: 'mary',
      },
    ]);
  });

  it('counts each write as a version', async () => {
    await add({ editorId: 'e', type: 'text', data: 'one' });
    await update({ editorId: 'e', type: 'text', data: 'three' });
    expect((await list()).data).toMatchObject([{ id: 'e', version: 2, contentBytes: 7 }]);
  });

  it('has no size while the last write is not decoded', async () => {
    await add({ editorId: 'e', type: 'text', data: 'one' });
    await api.database.sql('update crdt set version = version + 1 where api_key_id = $1', [scene.tenant.id]);
    expect((await list()).data).toMatchObject([{ version: 2, contentBytes: null }]);
  });

  it('is read in pages, each by one statement after that of the location', async () => {
    for (const editorId of ['d', 'b', 'a', 'c', 'e']) await add({ editorId });
    const ids: string[][] = [];
    let pageToken: string | undefined;
    do {
      const page = await list({ pageSize: 2, pageToken });
      ids.push(page.data.map(({ id }) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
    expect(ids).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    const read = async (pageSize: number) => (await statementsOf(async () => list({ pageSize }))).length;
    expect(await read(1)).toBe(await read(5));
  });

  it('is empty without data, and refuses an unknown document', async () => {
    expect((await list()).data).toEqual([]);
    const refusal = await scene.tenant.refused(path('list'), { ...scene.document, documentId: 'unknown' });
    expect(refusal.status).toBe('NOT_FOUND');
  });
});
