import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as Y from 'yjs';
import { codecs, unpack, type Codec } from '../../domain/crdt/stored-bytes.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { issuesOf } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { aDocument, aTenant, freshId, type TestDocument, type TestTenant } from '../support/factories.ts';

let api: TestApi;
let tenant: TestTenant;
let place: TestDocument;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => api.close());
beforeEach(async () => {
  tenant = await aTenant(api);
  place = await aDocument(tenant);
});

interface Record {
  readonly id: string;
  readonly data: unknown;
  readonly lastUpdate: string;
  readonly lastUpdatedBy: string;
  readonly sessionId: string | null;
}

const path = (act: string): string => `/v2/crdt/${act}`;
const add = async (members: object) =>
  tenant.ok(path('add'), { ...place, editorId: 'notes', type: 'text', data: 'Hello', ...members });
const refusedAdd = async (members: object) =>
  tenant.refused(path('add'), { ...place, editorId: 'notes', type: 'text', data: 'Hello', ...members });
const update = async (members: object) =>
  tenant.ok(path('update'), { ...place, editorId: 'notes', ...members });
const refusedUpdate = async (members: object) =>
  tenant.refused(path('update'), { ...place, editorId: 'notes', ...members });
const get = async (members: object = {}): Promise<Record[]> =>
  (await tenant.ok<Record[]>(path('get'), { ...place, ...members })).data;
const content = async (editorId = 'notes'): Promise<unknown> => (await get({ editorId }))[0]?.data;
const stored = async () =>
  api.database.sql<{ state: Buffer; codec: Codec; version: string; id: string }>(
    'select state, state_codec as codec, version, id from crdt where api_key_id = $1 order by editor_id',
    [tenant.id],
  );

/** A Yjs client that has what the server has. */
async function aYjsClient(): Promise<Y.Doc> {
  const doc = new Y.Doc();
  const [record] = await stored();
  if (record === undefined) throw new Error('Nothing is stored.');
  Y.applyUpdate(doc, unpack({ bytes: record.state, codec: record.codec }));
  return doc;
}

/** What a client does, as the update that it would send. */
function changed(doc: Y.Doc, act: (doc: Y.Doc) => void): string {
  const before = Y.encodeStateVector(doc);
  act(doc);
  return Buffer.from(Y.encodeStateAsUpdate(doc, before)).toString('base64');
}

const contents: [string, unknown, unknown][] = [
  ['text', 'Hello 🦊', 'Hello 🦁, all'],
  ['map', { title: 'Plan', tags: ['a'], deep: { er: null } }, { title: 'Plan', done: true }],
  ['array', [1, 'two', { three: [3] }], [1, { three: [3] }, false]],
  ['xml', '<p>Hi <b class="x">you</b></p>', '<p>Hi</p><br/> & more'],
  ['xmltext', 'plain', 'plainer'],
];

describe('adding collaborative data', () => {
  it.each(contents)('of type %s reads back as it was sent', async (type, data) => {
    const before = Date.now();
    const { message, data: nothing } = await add({ type, data, lastUpdatedBy: 'ada', sessionId: 's-1' });
    expect([message, nothing]).toEqual(['CRDT data added successfully.', undefined]);
    const { message: read, data: records } = await tenant.ok<Record[]>(path('get'), {
      ...place,
      editorId: 'notes',
    });
    expect(read).toBe('CRDT data retrieved successfully.');
    expect(records).toEqual([
      { id: 'notes', data, lastUpdate: expect.any(String), lastUpdatedBy: 'ada', sessionId: 's-1' },
    ]);
    const at = Date.parse(records[0]?.lastUpdate ?? '');
    expect(new Date(at).toISOString()).toBe(records[0]?.lastUpdate);
    expect(at).toBeGreaterThanOrEqual(before - 1_000);
  });

  it('creates a Yjs document that a client can open, under the requested content key', async () => {
    await add({ type: 'map', data: { a: 1 }, contentKey: 'board' });
    expect((await aYjsClient()).getMap('board').toJSON()).toEqual({ a: 1 });
    await tenant.ok(path('delete'), place);
    await add({ type: 'xml', data: '<p>Hi</p>' });
    const paragraph = (await aYjsClient()).getXmlFragment('content').get(0);
    expect(paragraph).toBeInstanceOf(Y.XmlElement);
  });

  it('keeps members of any name, and leaves what was not sent empty or null', async () => {
    const raw = '{"__proto__":{"a":[{"__proto__":1}]},"constructor":2,"toString":[]}';
    const body = `{"data":${JSON.stringify({ ...place, editorId: 'e', type: 'map' }).slice(0, -1)},"data":${raw}}}`;
    await tenant.ok(path('add'), undefined, { raw: body });
    const { text } = await tenant.call(path('get'), place);
    expect(text).toContain(raw);
    const [record] = await get();
    expect([record?.lastUpdatedBy, record?.sessionId]).toEqual(['', null]);
  });

  it('refuses an editor that has data, and adds one of many concurrent calls', async () => {
    const calls = Array.from({ length: 6 }, async (_, number) =>
      tenant.call(path('add'), { ...place, editorId: 'e', type: 'array', data: [number] }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.sort((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409]);
    const refusal = await refusedAdd({ editorId: 'e' });
    expect([refusal.status, refusal.message]).toEqual([
      'ALREADY_EXISTS',
      'CRDT data already exists for this editor ID.',
    ]);
    expect(await stored()).toHaveLength(1);
  });

  it.each<[string, object, globalThis.Record<string, string>]>([
    [
      'no organization',
      { organizationId: undefined },
      { 'data.organizationId': 'Organization ID is required' },
    ],
    ['no document', { documentId: undefined }, { 'data.documentId': 'documentId is required.' }],
    ['no editor', { editorId: undefined }, { 'data.editorId': 'Editor ID is required.' }],
    ['an empty editor', { editorId: '' }, { 'data.editorId': 'editorId must not be empty.' }],
    ['no data', { data: undefined }, { 'data.data': 'data is required.' }],
    ['no type', { type: undefined }, { 'data.type': 'type is required.' }],
    [
      'an unknown type',
      { type: 'set' },
      { 'data.type': 'type must be one of: text, map, array, xml, xmltext.' },
    ],
    ['text that is none', { data: 7 }, { 'data.data': 'Data must be a string for type text.' }],
    ['a null', { data: null }, { 'data.data': 'Data must be a string for type text.' }],
    [
      'a map that is none',
      { type: 'map', data: [] },
      { 'data.data': 'Data must be an object for type map.' },
    ],
    [
      'an array that is none',
      { type: 'array', data: {} },
      { 'data.data': 'Data must be an array for type array.' },
    ],
    ['xml that is none', { type: 'xml', data: {} }, { 'data.data': 'Data must be a string for type xml.' }],
    [
      'xmltext that is none',
      { type: 'xmltext', data: [] },
      { 'data.data': 'Data must be a string for type xmltext.' },
    ],
    ['an empty content key', { contentKey: '' }, { 'data.contentKey': 'contentKey must not be empty.' }],
    [
      'ids of the server',
      { isServerIds: true },
      { 'data.isServerIds': 'isServerIds must be one of: false.' },
    ],
    ['an unknown member', { colour: 1 }, { 'data.colour': 'Unknown member: colour.' }],
  ])('refuses %s', async (_what, members, issues) => {
    const refusal = await refusedAdd(members);
    expect([refusal.http, refusal.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(issuesOf(refusal)).toEqual(issues);
    expect(await stored()).toEqual([]);
  });

  it('accepts up to 10 MiB, and returns them', async () => {
    const data = 'x'.repeat(10 * 1_048_576 - 2_000);
    await add({ data });
    expect(await content()).toBe(data);
    const refusal = await refusedAdd({ data: `${data}${data}` });
    expect([refusal.http, refusal.message]).toEqual([413, 'Request body must not exceed 10 MiB.']);
  });
});

describe('every operation', () => {
  it('returns NOT_FOUND for a missing organization or document', async () => {
    const bodies = {
      add: { editorId: 'e', type: 'text', data: '' },
      update: { editorId: 'e', type: 'text', data: '' },
    };
    for (const act of ['add', 'get', 'update', 'delete']) {
      const more = bodies[act as keyof typeof bodies] ?? {};
      const nowhere = await tenant.refused(path(act), { ...more, organizationId: 'x', documentId: 'y' });
      expect([nowhere.status, nowhere.message]).toEqual(['NOT_FOUND', 'Organization does not exist']);
      const missing = await tenant.refused(path(act), { ...more, ...place, documentId: 'y' });
      expect([missing.status, missing.message]).toEqual(['NOT_FOUND', 'Document does not exist']);
      const without = await tenant.refused(path(act), { ...more, documentId: 'y' });
      expect(without.message).toBe('Organization ID is required');
    }
  });
});

describe('replacing content', () => {
  it.each(contents)('of type %s reads back as it was sent, again and again', async (type, data, next) => {
    await add({ type, data, lastUpdatedBy: 'ada', sessionId: 's' });
    const { message } = await update({ type, data: next, lastUpdatedBy: 'bob' });
    expect(message).toBe('CRDT data updated successfully.');
    expect(await get()).toMatchObject([{ data: next, lastUpdatedBy: 'bob', sessionId: null }]);
    await update({ type, data });
    expect(await get()).toMatchObject([{ data, lastUpdatedBy: '' }]);
  });

  it('changes the same Yjs document: concurrent additions of a client stay', async () => {
    await add({ data: 'one two three' });
    const client = await aYjsClient();
    await update({ type: 'text', data: 'one TWO three' });
    await update({ update: changed(client, (doc) => doc.getText('content').insert(0, '> ')) });
    expect(await content()).toBe('> one TWO three');
  });

  it('by 20 concurrent callers leaves the content of one, never a mixture', async () => {
    await add({ data: 'start' });
    const texts = Array.from({ length: 20 }, (_, number) => `text ${String(number)}`.repeat(number + 1));
    await Promise.all(texts.map(async (data) => update({ type: 'text', data })));
    expect(texts).toContain(await content());
  });
});

describe('merging an update', () => {
  it('applies the change of a Yjs client, and stores its sender', async () => {
    await add({ type: 'map', data: { a: 1 } });
    const client = await aYjsClient();
    const sent = changed(client, (doc) => doc.getMap('content').set('b', { c: [2] }));
    await update({ update: sent, lastUpdatedBy: 'bob', sessionId: 's-2' });
    expect(await get()).toMatchObject([
      { data: { a: 1, b: { c: [2] } }, lastUpdatedBy: 'bob', sessionId: 's-2' },
    ]);
    await update({ update: sent });
    expect(await content()).toEqual({ a: 1, b: { c: [2] } });
  });

  it('of 20 concurrent writers loses none: server, readers and clients converge', async () => {
    await add({ type: 'array', data: [] });
    const clients = await Promise.all(Array.from({ length: 20 }, aYjsClient));
    const sent: string[] = [];
    await Promise.all(
      clients.map(async (client, writer) => {
        for (let round = 0; round < 5; round += 1) {
          const one = changed(client, (doc) =>
            doc.getArray('content').push([`${String(writer)}/${String(round)}`]),
          );
          sent.push(one);
          await update({ update: one });
        }
      }),
    );
    for (const client of clients) {
      for (const one of sent) Y.applyUpdate(client, Buffer.from(one, 'base64'));
    }
    const read = (await content()) as string[];
    expect(read).toHaveLength(100);
    expect(new Set(read).size).toBe(100);
    for (const client of clients) expect(client.getArray('content').toJSON()).toEqual(read);
    // What the reader decoded is kept: the log is in the state, and nothing is decoded a second time.
    await eventually(async () => {
      const left = await api.database.sql(
        `select 1 from crdt_update where api_key_id = $1 union all
         select 1 from crdt where api_key_id = $1 and decoded_version <> version`,
        [tenant.id],
      );
      expect(left).toEqual([]);
    });
    expect((await aYjsClient()).getArray('content').toJSON()).toEqual(read);
  });

  it('keeps an update that arrives before the one it depends on', async () => {
    await add({ data: 'a' });
    const client = await aYjsClient();
    const first = changed(client, (doc) => doc.getText('content').insert(1, 'b'));
    const second = changed(client, (doc) => doc.getText('content').insert(2, 'c'));
    await update({ update: second });
    expect(await content()).toBe('a');
    await update({ update: first });
    expect(await content()).toBe('abc');
  });

  it('returns bytes and big integers of clients as text', async () => {
    await add({ type: 'map', data: {} });
    const client = await aYjsClient();
    const sent = changed(client, (doc) => {
      doc.getMap('content').set('bytes', new Uint8Array([1, 2, 3]));
      doc.getMap('content').set('big', 12_345_678_901_234_567_890n);
      doc.getMap('content').set('none', undefined);
      doc.getMap('content').set('child', new Y.Text('inner'));
    });
    await update({ update: sent });
    expect(await content()).toEqual({
      bytes: 'AQID',
      big: String(BigInt.asIntN(64, 12_345_678_901_234_567_890n)),
      none: null,
      child: 'inner',
    });
  });

  const deep = (): string => {
    const doc = new Y.Doc();
    let holder = doc.getArray<unknown>('content');
    for (let level = 0; level < 5_000; level += 1) {
      const inner = new Y.Array<unknown>();
      holder.push([inner]);
      holder = inner;
    }
    return Buffer.from(Y.encodeStateAsUpdate(doc)).toString('base64');
  };

  it.each<[string, () => object, string]>([
    ['what is no base64', () => ({ update: 'not base64!' }), 'update is not a valid Yjs update.'],
    ['what is no update', () => ({ update: 'enp6enp6enp6eno=' }), 'update is not a valid Yjs update.'],
    ['an empty text', () => ({ update: '' }), 'update is not a valid Yjs update.'],
    [
      'more than 1 MiB',
      () => ({ update: Buffer.alloc(1_048_577).toString('base64') }),
      'update must be at most 1 MiB.',
    ],
    ['content that nests too deep', () => ({ update: deep() }), 'update is not a valid Yjs update.'],
    ['neither data nor update', () => ({}), 'At least one of data or update must be provided.'],
    ['both', () => ({ update: 'AAA=', data: [], type: 'array' }), 'data and update exclude each other.'],
    ['data without a type', () => ({ data: [] }), 'type is required.'],
    ['another type', () => ({ data: '', type: 'text' }), 'type does not match the stored type.'],
    [
      'another type beside an update',
      () => ({ update: 'AAA=', type: 'map' }),
      'type does not match the stored type.',
    ],
    [
      'another content key',
      () => ({ data: [], type: 'array', contentKey: 'other' }),
      'type does not match the stored type.',
    ],
    ['another shape', () => ({ data: {}, type: 'array' }), 'Data must be an array for type array.'],
    ['no editor', () => ({ data: [], type: 'array', editorId: undefined }), 'Editor ID is required.'],
  ])('refuses %s, and changes nothing', async (_what, members, message) => {
    await add({ type: 'array', data: [1] });
    const before = [await get(), await stored()];
    const refusal = await refusedUpdate(members());
    expect([refusal.http, refusal.status, refusal.message]).toEqual([400, 'INVALID_ARGUMENT', message]);
    expect([await get(), await stored()]).toEqual(before);
  });

  it('returns NOT_FOUND for an unknown editor', async () => {
    for (const change of [{ update: 'AAA=' }, { type: 'text', data: 'x' }]) {
      const refusal = await refusedUpdate(change);
      expect([refusal.status, refusal.message]).toEqual([
        'NOT_FOUND',
        'No CRDT data found for this editor ID.',
      ]);
    }
  });

  it('refuses content that would grow beyond 10 MiB', async () => {
    await add({ data: 'x'.repeat(10 * 1_048_576 - 2_000) });
    const client = await aYjsClient();
    const sent = changed(client, (doc) => doc.getText('content').insert(0, 'y'.repeat(10_000)));
    const refusal = await refusedUpdate({ update: sent });
    expect(refusal.message).toBe('update makes the content larger than 10 MiB.');
  });

  it('is refused when it exceeds the time limit, while the API stays responsive', async () => {
    await add({ data: '', contentKey: 'c' });
    let served = 0;
    const over = new AbortController();
    const watch = (async () => {
      while (!over.signal.aborted) {
        await tenant.ok('/v2/organizations/get');
        served += 1;
      }
    })();
    const refusals = await Promise.all([1, 2, 3].map(async () => refusedUpdate({ update: aBomb() })));
    over.abort();
    await watch;
    for (const refusal of refusals) {
      expect([refusal.http, refusal.message]).toEqual([
        400,
        'update takes too much time or memory to apply.',
      ]);
    }
    // An event loop that applied the updates itself would have served one call.
    expect(served).toBeGreaterThan(3);
    await update({ type: 'text', data: 'still here' });
    expect(await content()).toBe('still here');
  });
});

/** 200 kB: a text, and as many writers who all insert before another of its characters: Yjs compares each with all the others. */
function aBomb(): string {
  const varuint = (number: number): number[] => {
    const bytes: number[] = [];
    let rest = number;
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push(128 | (rest & 127));
    return [...bytes, rest];
  };
  const writers = 16_000;
  const author = varuint(writers + 1);
  const text = [
    1,
    ...author,
    0,
    4,
    1,
    1,
    99,
    ...varuint(writers),
    ...Array.from({ length: writers }, () => 97),
  ];
  const inserts = Array.from({ length: writers }, (_, writer) => [
    1,
    ...varuint(writers - writer),
    0,
    68,
    ...author,
    ...varuint(writer),
    1,
    97,
  ]);
  return Buffer.from([...author, ...text, ...inserts.flat(), 0]).toString('base64');
}

describe('reading', () => {
  it('returns all editors of the document by id, one, or none', async () => {
    for (const editorId of ['b', 'a', 'Z', 'ä']) await add({ editorId, data: editorId });
    expect((await get()).map(({ id }) => id)).toEqual(['Z', 'a', 'b', 'ä']);
    expect((await get({ editorId: 'b', type: 'text', isServerIds: false })).map(({ data }) => data)).toEqual([
      'b',
    ]);
    expect(await get({ editorId: 'unknown' })).toEqual([]);
    const refusal = await tenant.refused(path('get'), { ...place, isServerIds: true });
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
      const page = await tenant.ok<Record[]>(path('get'), { ...place, pageSize: 5, pageToken });
      ids.push(page.data.map(({ id }) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
    expect(ids).toEqual([
      ['e0', 'e1', 'e2'],
      ['e3', 'e4', 'e5', 'e6'],
    ]);
    const whole = await tenant.ok<Record[]>(path('get'), place);
    expect(whole.nextPageToken).toBeUndefined();
    expect(whole.data.map(({ id }) => id)).toEqual(ids.flat());
  });

  it('does not decode content again', async () => {
    await add({ data: 'cached' });
    await api.database.sql(`update crdt set state = '\\x00ff' where api_key_id = $1`, [tenant.id]);
    expect(await content()).toBe('cached');
  });

  it('queries only the version of frequently read content', async () => {
    await add({ data: 'known' });
    for (let reads = 0; reads < 2; reads += 1) expect(await content()).toBe('known');
    await api.database.sql(`update crdt set decoded = '"not read"' where api_key_id = $1`, [tenant.id]);
    expect(await content()).toBe('known');
    await update({ type: 'text', data: 'written since' });
    expect(await content()).toBe('written since');
    const other = await aTenant(api);
    const elsewhere = await other.refused(path('get'), { ...place, editorId: 'notes' });
    expect(elsewhere.status).toBe('NOT_FOUND');
    await tenant.ok(path('delete'), place);
    expect(await get({ editorId: 'notes' })).toEqual([]);
    await add({ data: 'made anew' });
    expect(await content()).toBe('made anew');
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
      [tenant.id, Buffer.from(plain)],
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
        [tenant.id, editorId],
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
        [record.id, tenant.id, bytes],
      );
    }
    await api.database.sql(
      `update crdt set version = version + 1, decoded = '"old"' where api_key_id = $1 and editor_id = 'stale'`,
      [tenant.id],
    );
    const expected = [`logged: ${fox}`, fox, fox, `written: ${fox}`];
    expect((await get()).map(({ data }) => data)).toEqual(expected);
    await eventually(async () => {
      expect(
        await api.database.sql(
          `select decoded::json #>> '{}' as decoded, octet_length(decoded) = decoded_bytes as sized, decoded_version = version as fresh,
             (select count(*)::int from crdt_update u where u.crdt_id = c.id) as log
           from crdt c where api_key_id = $1 order by editor_id`,
          [tenant.id],
        ),
      ).toEqual(expected.map((decoded) => ({ decoded, sized: true, fresh: true, log: 0 })));
    });
    await api.database.sql(`update crdt set version = version + 1 where api_key_id = $1`, [tenant.id]);
    expect((await get()).map(({ data }) => data)).toEqual(expected);
  });

  it('returns the last decoded content when the state cannot be decoded', async () => {
    await add({ data: 'last known' });
    await api.database.sql(`update crdt set state = '\\x01ffffff', version = 9 where api_key_id = $1`, [
      tenant.id,
    ]);
    expect(await content()).toBe('last known');
  });
});

describe('deleting', () => {
  it('removes the given editors, and reports the missing ones', async () => {
    for (const editorId of ['a', 'b', 'c']) await add({ editorId });
    const { message, data, deletedCount, failedCount } = await tenant.ok(path('delete'), {
      ...place,
      editorIds: ['a', 'x', '__proto__', 'c'],
    });
    expect([message, deletedCount, failedCount]).toEqual(['CRDT data deleted successfully.', 2, 2]);
    const missing = { success: false, message: 'No CRDT data found for this editor ID.', code: 'not-found' };
    expect(Object.entries(data as object)).toEqual([
      ['a', { success: true, id: 'a', message: 'CRDT data deleted.' }],
      ['x', { id: 'x', ...missing }],
      ['__proto__', { id: '__proto__', ...missing }],
      ['c', { success: true, id: 'c', message: 'CRDT data deleted.' }],
    ]);
    expect((await get()).map(({ id }) => id)).toEqual(['b']);
    await add({ editorId: 'a', data: 'anew' });
    expect(await content('a')).toBe('anew');
  });

  it('removes all editors, logs and pending events when none is given', async () => {
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    for (const editorId of ['a', 'b']) await add({ editorId });
    const other = await aDocument(tenant, { organizationId: place.organizationId });
    await tenant.ok(path('add'), { ...other, editorId: 'kept', type: 'text', data: '' });
    await api.database.sql(
      `insert into crdt_update (crdt_id, seq, api_key_id, bytes) select id, 1, api_key_id, '' from crdt where editor_id = 'a' and api_key_id = $1`,
      [tenant.id],
    );
    const { deletedCount, data } = await tenant.ok(path('delete'), place);
    expect([deletedCount, Object.keys(data as object)]).toEqual([2, ['a', 'b']]);
    expect((await tenant.ok(path('delete'), place)).data).toEqual({});
    expect(await stored()).toHaveLength(1);
  });

  it('starts a job beyond 1,000 records', async () => {
    await add({ editorId: 'e' });
    await api.database.sql(
      `insert into crdt (api_key_id, org_id, document_id, editor_id, type, content_key, state, decoded, decoded_bytes)
       select api_key_id, org_id, document_id, 'e-' || n, type, content_key, state, decoded, decoded_bytes
       from crdt, generate_series(1, 1200) n where api_key_id = $1`,
      [tenant.id],
    );
    const { deletedCount, data, jobId } = await tenant.ok(path('delete'), place);
    expect([deletedCount, Object.keys(data as object).length]).toEqual([1_000, 1_000]);
    const job = await tenant.ok<{ kind: string }>('/v2/jobs/get', { jobId });
    expect(job.data.kind).toBe('cascade');
  });
});

describe('a fenced user', () => {
  it('does not write in the organization of the deletion', async () => {
    await add({});
    await api.database.sql(
      `with u as (insert into app_user (api_key_id, ext_id) values ($1, 'ada') returning id),
       j as (insert into job (api_key_id, public_id, kind, status) values ($1, $2, 2, 1) returning id)
       insert into user_deletion (job_id, user_id, user_ext_id, api_key_id, fenced_at)
       select j.id, u.id, 'ada', $1, now() from j, u`,
      [tenant.id, freshId('job')],
    );
    const before = await stored();
    const added = await refusedAdd({ editorId: 'other', lastUpdatedBy: 'ada' });
    const updated = await refusedUpdate({ type: 'text', data: 'x', lastUpdatedBy: 'ada' });
    for (const refusal of [added, updated]) {
      expect([refusal.status, refusal.message]).toEqual([
        'FAILED_PRECONDITION',
        'User data deletion is in progress.',
      ]);
    }
    expect(await stored()).toEqual(before);
  });
});
