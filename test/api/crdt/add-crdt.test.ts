import { describe, expect, it } from '@jest/globals';
import * as Y from 'yjs';
import { issuesOf } from '../../support/client.ts';
import { crdtScene, path, contents, type CrdtRecord } from './crdt-scene.ts';

const scene = await crdtScene();
const { add, refusedAdd, get, content, stored, aYjsClient } = scene;

describe('adding collaborative data', () => {
  it.each(contents)('of type %s reads back as it was sent', async (type, data) => {
    const before = Date.now();
    const { message, data: nothing } = await add({ type, data, lastUpdatedBy: 'ada', sessionId: 's-1' });
    expect([message, nothing]).toEqual(['CRDT data added successfully.', undefined]);
    const { message: read, data: records } = await scene.tenant.ok<CrdtRecord[]>(path('get'), {
      ...scene.document,
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
    await scene.tenant.ok(path('delete'), scene.document);
    await add({ type: 'xml', data: '<p>Hi</p>' });
    const paragraph = (await aYjsClient()).getXmlFragment('content').get(0);
    expect(paragraph).toBeInstanceOf(Y.XmlElement);
  });

  it('keeps members of any name, and returns omitted members empty or null', async () => {
    const raw =
      '{"__proto__":{"a":[{"__proto__":1}]},"constructor":2,"toString":[],"row":{"constructor":"x","a":{"constructor":1}}}';
    const body = `{"data":${JSON.stringify({ ...scene.document, editorId: 'e', type: 'map' }).slice(0, -1)},"data":${raw}}}`;
    await scene.tenant.ok(path('add'), undefined, { raw: body });
    const { text } = await scene.tenant.call(path('get'), scene.document);
    expect(text).toContain(raw);
    const [record] = await get();
    expect([record?.lastUpdatedBy, record?.sessionId]).toEqual(['', null]);
    await scene.tenant.ok(path('delete'), scene.document);
    const items = [{ driver: 'Leclerc', constructor: 'Ferrari' }, 1];
    await add({ type: 'array', data: items });
    expect(await content()).toEqual(items);
    expect((await aYjsClient()).getArray('content').toJSON()).toEqual(items);
  });

  it('refuses an editor that has data, and adds it once under concurrent calls', async () => {
    const calls = Array.from({ length: 6 }, async (_, number) =>
      scene.tenant.call(path('add'), { ...scene.document, editorId: 'e', type: 'array', data: [number] }),
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

  it.each<[string, object, Record<string, string>]>([
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
    ['an unknown member', { color: 1 }, { 'data.color': 'Unknown member: color.' }],
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

describe('every operation of collaborative data', () => {
  it('returns NOT_FOUND for a missing organization or document', async () => {
    const bodies = {
      add: { editorId: 'e', type: 'text', data: '' },
      update: { editorId: 'e', type: 'text', data: '' },
    };
    for (const act of ['add', 'get', 'update', 'delete']) {
      const more = bodies[act as keyof typeof bodies] ?? {};
      const nowhere = await scene.tenant.refused(path(act), {
        ...more,
        organizationId: 'x',
        documentId: 'y',
      });
      expect([nowhere.status, nowhere.message]).toEqual(['NOT_FOUND', 'Organization does not exist']);
      const missing = await scene.tenant.refused(path(act), { ...more, ...scene.document, documentId: 'y' });
      expect([missing.status, missing.message]).toEqual(['NOT_FOUND', 'Document does not exist']);
      const without = await scene.tenant.refused(path(act), { ...more, documentId: 'y' });
      expect(without.message).toBe('Organization ID is required');
    }
  });
});
