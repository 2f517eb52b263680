import { describe, expect, it } from '@jest/globals';
import * as Y from 'yjs';
import { eventually } from '../../support/eventually.ts';
import { text, varuint } from '../../support/hostile-updates.ts';
import { crdtScene, contents, changed } from './crdt-scene.ts';

const scene = await crdtScene();
const { api, add, update, refusedUpdate, get, content, stored, aYjsClient } = scene;

describe('replacing content', () => {
  it.each(contents)('of type %s returns what was sent each time', async (type, data, next) => {
    await add({ type, data, lastUpdatedBy: 'ada', sessionId: 's' });
    const { message } = await update({ type, data: next, lastUpdatedBy: 'bob' });
    expect(message).toBe('CRDT data updated successfully.');
    expect(await get()).toMatchObject([{ data: next, lastUpdatedBy: 'bob', sessionId: null }]);
    await update({ type, data });
    expect(await get()).toMatchObject([{ data, lastUpdatedBy: '' }]);
  });

  it.each([
    ['map', { row: { constructor: 'x', a: [{ constructor: 1 }] } }, { row: { constructor: 'y' } }],
    ['array', [{ constructor: 'x' }], [1, { constructor: { constructor: 'x' } }, { constructor: 'x' }]],
  ])('of type %s keeps members named `constructor`', async (type, data, next) => {
    await add({ type, data: type === 'map' ? {} : [] });
    for (const sent of [data, next]) {
      await update({ type, data: sent });
      expect(await content()).toEqual(sent);
    }
  });

  it('that Yjs fails to change is INTERNAL and logged, and the last content is still read', async () => {
    await add({ data: 'present' });
    await api.database.sql('update crdt set state = $2, state_codec = 0 where api_key_id = $1', [
      scene.tenant.id,
      Buffer.from([1]),
    ]);
    const refusal = await refusedUpdate({ type: 'text', data: 'next' });
    expect([refusal.http, refusal.status]).toEqual([500, 'INTERNAL']);
    const logged = api.log.filter((line) => line.includes('"unexpected error"'));
    expect(logged).toEqual([expect.stringContaining('Unexpected end of array')]);
    await api.database.sql('update crdt set version = version + 1 where api_key_id = $1', [scene.tenant.id]);
    expect(await content()).toBe('present');
  });

  it('changes the same Yjs document: concurrent additions of a client stay', async () => {
    await add({ data: 'one two three' });
    const client = await aYjsClient();
    await update({ type: 'text', data: 'one TWO three' });
    await update({ update: changed(client, (doc) => doc.getText('content').insert(0, '> ')) });
    expect(await content()).toBe('> one TWO three');
  });

  it('many times does not enlarge the stored state', async () => {
    await add({ type: 'map', data: { title: 'Plan 0' } });
    const bytes = async () => (await stored())[0]?.state.length ?? 0;
    await update({ type: 'map', data: { title: 'Plan 1' } });
    const before = await bytes();
    for (let round = 2; round < 60; round += 1)
      await update({ type: 'map', data: { title: `Plan ${String(round)}` } });
    expect(await content()).toEqual({ title: 'Plan 59' });
    expect(await bytes()).toBeLessThan(before + 100);
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

  it('of 20 concurrent writers loses no change: server, readers and clients converge', async () => {
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
    // The decoded content of the read is stored: the log is merged, and nothing is decoded again.
    await eventually(async () => {
      const left = await api.database.sql(
        `select 1 from crdt_update where api_key_id = $1 union all
         select 1 from crdt where api_key_id = $1 and decoded_version <> version`,
        [scene.tenant.id],
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

  /** An array in 5,000 levels: each struct is in the one before. */
  const deep = (): string => {
    const levels = Array.from({ length: 4_999 }, (_, level) => [7, 0, 5, ...varuint(level), 0]);
    const bytes = [1, ...varuint(5_000), 5, 0, 7, 1, ...text('content'), 0, ...levels.flat(), 0];
    return Buffer.from(bytes).toString('base64');
  };

  it.each<[string, () => object, string]>([
    ['text that is not base64', () => ({ update: 'not base64!' }), 'update is not a valid Yjs update.'],
    [
      'bytes that are not an update',
      () => ({ update: 'enp6enp6enp6eno=' }),
      'update is not a valid Yjs update.',
    ],
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
        await scene.tenant.ok('/v2/organizations/get');
        served += 1;
      }
    })();
    const message = 'update takes too much time or memory to apply.';
    // A slow machine may interrupt the work, which is UNAVAILABLE.
    await eventually(async () =>
      expect(await refusedUpdate({ update: aBomb() })).toMatchObject({ http: 400, message }),
    );
    over.abort();
    await watch;
    // An event loop that applied the update itself would have served one call.
    expect(served).toBeGreaterThan(3);
    await update({ type: 'text', data: 'still here' });
    expect(await content()).toBe('still here');
  });
});

/**
 * An update of 200 kB whose cost is quadratic: a text, and many writers that insert before the same characters. Yjs
 * compares each of them with all others.
 */
function aBomb(): string {
  const writers = 16_000;
  const author = varuint(writers + 1);
  const typed = [
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
  return Buffer.from([...author, ...typed, ...inserts.flat(), 0]).toString('base64');
}
