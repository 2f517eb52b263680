import * as Y from 'yjs';
import { unpack, type Codec } from '../../../domain/crdt/stored-bytes.ts';
import { documentScene } from '../../support/document-scene.ts';

/** A record of collaborative data as responses contain it. */
export interface CrdtRecord {
  readonly id: string;
  readonly data: unknown;
  readonly lastUpdate: string;
  readonly lastUpdatedBy: string;
  readonly sessionId: string | null;
}

/** Path of an operation. */
export const path = (operation: string): string => `/v2/crdt/${operation}`;

/** For each type: content, and content that replaces it. */
export const contents: [type: string, data: unknown, next: unknown][] = [
  ['text', 'Hello 🦊', 'Hello 🦁, all'],
  ['map', { title: 'Plan', tags: ['a'], deep: { er: null } }, { title: 'Plan', done: true }],
  ['array', [1, 'two', { three: [3] }], [1, { three: [3] }, false]],
  ['xml', '<p>Hi <b class="x">you</b></p>', '<p>Hi</p><br/> & more'],
  ['xmltext', 'plain', 'plainer'],
];

/** Changes the document of a client. Returns the update that the client sends. */
export function changed(doc: Y.Doc, change: (doc: Y.Doc) => void): string {
  const before = Y.encodeStateVector(doc);
  change(doc);
  return Buffer.from(Y.encodeStateAsUpdate(doc, before)).toString('base64');
}

/** A document of a new tenant for each test, and calls about its editor `notes`. */
export async function crdtScene() {
  const scene = await documentScene({ tenantPerTest: true });
  const { api } = scene;
  const requestOf = (members: object) => ({ ...scene.document, editorId: 'notes', ...members });
  const addition = (members: object) => requestOf({ type: 'text', data: 'Hello', ...members });
  const add = async (members: object) => scene.tenant.ok(path('add'), addition(members));
  const refusedAdd = async (members: object) => scene.tenant.refused(path('add'), addition(members));
  const update = async (members: object) => scene.tenant.ok(path('update'), requestOf(members));
  const refusedUpdate = async (members: object) => scene.tenant.refused(path('update'), requestOf(members));
  const get = async (members: object = {}): Promise<CrdtRecord[]> =>
    (await scene.tenant.ok<CrdtRecord[]>(path('get'), { ...scene.document, ...members })).data;
  const content = async (editorId = 'notes'): Promise<unknown> => (await get({ editorId }))[0]?.data;
  const stored = async () =>
    api.database.sql<{ state: Buffer; codec: Codec; version: string; id: string }>(
      'select state, state_codec as codec, version, id from crdt where api_key_id = $1 order by editor_id',
      [scene.tenant.id],
    );

  /** A Yjs client with the server's state. */
  const aYjsClient = async (): Promise<Y.Doc> => {
    const doc = new Y.Doc();
    const [record] = await stored();
    if (record === undefined) throw new Error('The tenant has no collaborative data.');
    Y.applyUpdate(doc, unpack({ bytes: record.state, codec: record.codec }));
    return doc;
  };
  return Object.assign(scene, { add, refusedAdd, update, refusedUpdate, get, content, stored, aYjsClient });
}
