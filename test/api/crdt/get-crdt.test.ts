import { describe, expect, it } from '@jest/globals';
import * as Y from 'yjs';
import { openCrdtReads } from '../../../domain/crdt/crdt-reads.ts';
import { readRecords } from '../../../domain/crdt/read-records.ts';
import { codecs, unpack } from '../../../domain/crdt/stored-bytes.ts';
import type { Tenant } from '../../../domain/tenancy/tenant.ts';
import { eventually } from '../../support/eventually.ts';
import { aTenant } from '../../support/factories.ts';
import { crdtScene, path, changed, type CrdtRecord } from './crdt-scene.ts';

const scene = await crdtScene();
const { api, add, update, get, content, stored, aYjsClient } = scene;

describe('reading collaborative data', () => {
  it('returns all editors of the document in the order of ids, one, or none', async () => {
    for (const editorId of ['b', 'a', 'Z', 'ä']) await add({ editorId, data: editorId });
    expect((await get()).map(({ id }) => id)).toEqual(['Z', 'a', 'b', 'ä']);
    expect((await get({ editorId: 'b', type: 'text', isServerIds: false })).map(({ data }) => data)).toEqual([
      'b',
    ]);
    expect(await get({ editorId: 'unknown' })).toEqual([]);
    const refusal = await scene.tenant.refused(path('get'), { ...scene.document, isServerIds: true });
    expect(refusal.status).toBe('INVALID_ARGUMENT');
  });

  it('returns pages that end at the byte limit on request, and everything otherwise', async () => {
    const large = 'x'.repeat(3 * 1_048_576);
    for (let number = 0; number < 7; number += 1) {
      await add({ editorId: `e${String(number)}`, data: number < 4 ? large : '' });
    }
    const ids: string[][] = [];
    let pageToken: string | undefined;
    do {
      const page = await scene.tenant.ok<CrdtRecord[]>(path('get'), {
        ...scene.document,
        pageSize: 5,
        pageToken,
      });
      ids.push(page.data.map(({ id }) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
    expect(ids).toEqual([
      ['e0', 'e1', 'e2'],
      ['e3', 'e4', 'e5', 'e6'],
    ]);
    const whole = await scene.tenant.ok<CrdtRecord[]>(path('get'), scene.document);
    expect(whole.nextPageToken).toBeUndefined();
    expect(whole.data.map(({ id }) => id)).toEqual(ids.flat());
  });

  it('does not decode content again', async () => {
    await add({ data: 'cached' });
    await api.database.sql(`update crdt set state = '\\x00ff' where api_key_id = $1`, [scene.tenant.id]);
    expect(await content()).toBe('cached');
  });

  it('queries only the version of frequently read content', async () => {
    await add({ data: 'known' });
    for (let reads = 0; reads < 2; reads += 1) expect(await content()).toBe('known');
    await api.database.sql(`update crdt set decoded = '"not read"' where api_key_id = $1`, [scene.tenant.id]);
    expect(await content()).toBe('known');
    await update({ type: 'text', data: 'written since' });
    expect(await content()).toBe('written since');
    const other = await aTenant(api);
    const elsewhere = await other.refused(path('get'), { ...scene.document, editorId: 'notes' });
    expect(elsewhere.status).toBe('NOT_FOUND');
    await scene.tenant.ok(path('delete'), scene.document);
    expect(await get({ editorId: 'notes' })).toEqual([]);
    await add({ data: 'new again' });
    expect(await content()).toBe('new again');
  });

  it('returns non-ASCII content equally from the database and the cache', async () => {
    const data = 'Ünal, 文書, 🦊 '.repeat(2_000);
    await add({ data });
    for (let reads = 0; reads < 4; reads += 1) expect(await content()).toBe(data);
  });

  it('compresses a large state, and reads uncompressed ones', async () => {
    const data = 'one paragraph after another '.repeat(1_000);
    await add({ data });
    const [packed] = await stored();
    expect([packed?.codec, Number(packed?.state.length) < data.length / 10]).toEqual([codecs.zstd, true]);
    const plain = unpack({ bytes: packed?.state ?? Buffer.alloc(0), codec: codecs.zstd });
    await api.database.sql(
      `update crdt set state = $2, state_codec = 0, version = version + 1, state_revision = state_revision + 1, decoded = '' where api_key_id = $1`,
      [scene.tenant.id, Buffer.from(plain)],
    );
    expect(await content()).toBe(data);
    const client = await aYjsClient();
    await update({ update: changed(client, (doc) => doc.getText('content').insert(0, 'First, ')) });
    expect(await content()).toBe(`First, ${data}`);
    expect((await stored())[0]?.codec).toBe(codecs.zstd);
  });

  it('decodes and saves several records: with a log, without one, and already decoded', async () => {
    const fox = 'a 🦊 called Ünal';
    for (const editorId of ['logged', 'stale', 'whole', 'written']) await add({ editorId, data: fox });
    for (const editorId of ['logged', 'written']) {
      const [record] = await api.database.sql<{ id: string; state: Buffer }>(
        'select id, state from crdt where api_key_id = $1 and editor_id = $2',
        [scene.tenant.id, editorId],
      );
      if (record === undefined) throw new Error('Nothing is stored.');
      const doc = new Y.Doc();
      Y.applyUpdate(doc, record.state);
      const bytes = Buffer.from(
        changed(doc, () => doc.getText('content').insert(0, `${editorId}: `)),
        'base64',
      );
      await api.database.sql(
        `with logged as (update crdt set version = version + 1 where id = $1 returning version)
         insert into crdt_update (crdt_id, seq, api_key_id, bytes) select $1, version, $2, $3 from logged`,
        [record.id, scene.tenant.id, bytes],
      );
    }
    await api.database.sql(
      `update crdt set version = version + 1, decoded = '"old"' where api_key_id = $1 and editor_id = 'stale'`,
      [scene.tenant.id],
    );
    const expected = [`logged: ${fox}`, fox, fox, `written: ${fox}`];
    expect((await get()).map(({ data }) => data)).toEqual(expected);
    await eventually(async () => {
      expect(
        await api.database.sql(
          `select decoded::json #>> '{}' as decoded, octet_length(decoded) = decoded_bytes as sized, decoded_version = version as fresh,
             (select count(*)::int from crdt_update u where u.crdt_id = c.id) as log
           from crdt c where api_key_id = $1 order by editor_id`,
          [scene.tenant.id],
        ),
      ).toEqual(expected.map((decoded) => ({ decoded, sized: true, fresh: true, log: 0 })));
    });
    await api.database.sql(`update crdt set version = version + 1 where api_key_id = $1`, [scene.tenant.id]);
    expect((await get()).map(({ data }) => data)).toEqual(expected);
  });

  it('ends a page by the real size of stale records, which the statement cannot know', async () => {
    for (const editorId of ['a', 'b', 'c', 'd']) await add({ editorId, data: 'x'.repeat(100_000) });
    const [document] = await api.database.sql<{ id: string }>(
      `update crdt set version = version + 1, decoded = '""', decoded_bytes = 2 where api_key_id = $1
       returning document_id as id`,
      [scene.tenant.id],
    );
    if (document === undefined) throw new Error('Nothing is stored.');
    const read = async (limit: object) => {
      const page = await readRecords(
        api.orm.em.fork(),
        { id: scene.tenant.id } as Tenant,
        openCrdtReads(api.orm.em),
        document,
        { after: '', limit: { rows: 100, bytes: 262_144, aloneBytes: 327_680, ...limit } },
      );
      return { ids: page.records.map(({ id }) => id), next: page.next, cut: page.cut };
    };
    expect(await read({})).toEqual({ ids: ['a', 'b'], next: 'b', cut: true });
    expect(await read({ bytes: 1_000, aloneBytes: 50_000 })).toEqual({ ids: [], next: '', cut: true });
    expect(await read({ bytes: 50_000 })).toEqual({ ids: ['a'], next: 'a', cut: true });
    expect((await get()).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('returns the last decoded content when the state cannot be decoded', async () => {
    await add({ data: 'last known' });
    await api.database.sql(`update crdt set state = '\\x01ffffff', version = 9 where api_key_id = $1`, [
      scene.tenant.id,
    ]);
    expect(await content()).toBe('last known');
  });
});
