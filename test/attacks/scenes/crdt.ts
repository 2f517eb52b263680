import assert from 'node:assert/strict';
import * as Y from 'yjs';
import { longAttributes } from '../../support/hostile-updates.ts';
import type { Response } from '../../support/client.ts';
import type { Stage, Target } from '../scene.ts';
import { post, unreadConnections } from '../sockets.ts';

const mebibyte = 1_048_576;

/** Empty objects of one record. Yjs stores each in 2 bytes, which are compressed, and its value takes 56 in memory. */
const emptyObjects = 1_500_000;
const objectsPerUpdate = 500_000;

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** Updates of one client that append empty objects. */
function updatesOfEmptyObjects(): string[] {
  const doc = new Y.Doc();
  const array = doc.getArray('content');
  const updates: string[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(base64(update)));
  for (let made = 0; made < emptyObjects; made += objectsPerUpdate)
    array.push(Array.from({ length: objectsPerUpdate }, () => ({})));
  return updates;
}

const editors = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}-${String(at)}`);

/** Collaborative data whose content is many times as large as its bytes, and changes that are costly to apply. */
export function crdt(full: boolean): Stage {
  const wide = editors('wide', full ? 8 : 3);
  const rounds = full ? 5 : 1;
  const callers = full ? 40 : 12;
  const unread = full ? 200 : 60;
  const callsMeanwhile = full ? 100 : 30;
  const long = base64(longAttributes());
  const of = ({ document }: Target, editorId: string, members: object = {}) => ({
    ...document,
    editorId,
    ...members,
  });
  return {
    scenes: [
      {
        title: `reads of ${String(wide.length)} records of ${String(emptyObjects)} objects that no reader has decoded`,
        async prepare(target) {
          const updates = updatesOfEmptyObjects();
          for (const editorId of wide) {
            await target.attacker.ok('/v2/crdt/add', of(target, editorId, { type: 'array', data: [] }));
            for (const update of updates)
              await target.attacker.ok('/v2/crdt/update', of(target, editorId, { update }));
          }
        },
        async attack(target) {
          for (let round = 0; round < rounds; round += 1) {
            // As after two updates at one time.
            await target.sql(`update crdt set version = version + 1 where editor_id = any($1)`, [wide]);
            const read = await Promise.all(
              wide.map(async (editorId) => target.attacker.call('/v2/crdt/get', of(target, editorId))),
            );
            expectServedOrUnavailable(read);
          }
        },
      },
      {
        title: `${String(callers)} updates of 500 kB whose text is 200 MB`,
        async prepare(target) {
          await target.attacker.ok('/v2/crdt/add', of(target, 'long', { type: 'xmltext', data: '' }));
        },
        async attack(target) {
          const refused = await Promise.all(
            Array.from({ length: callers }, async () =>
              target.attacker.call('/v2/crdt/update', of(target, 'long', { update: long })),
            ),
          );
          for (const { status } of refused) assert.ok([400, 503].includes(status), String(status));
        },
      },
      {
        title: `${String(callers)} replacements of a text of 6 MiB`,
        async prepare(target) {
          await target.attacker.ok('/v2/crdt/add', of(target, 'text', { type: 'text', data: '' }));
        },
        async attack(target) {
          const replaced = await Promise.all(
            Array.from({ length: callers }, async (_, caller) => {
              const data = `${String(caller)}${'x'.repeat(6 * mebibyte)}`;
              return target.attacker.call('/v2/crdt/update', of(target, 'text', { type: 'text', data }));
            }),
          );
          expectServedOrUnavailable(replaced);
        },
      },
      {
        title: `${String(unread)} connections that do not read their content of 6 MiB`,
        async attack(target, neighborServed) {
          const { attacker, url } = target;
          const read = post('/v2/crdt/get', attacker.headers, JSON.stringify({ data: of(target, 'text') }));
          const connections = await unreadConnections(url, unread, read);
          await neighborServed(callsMeanwhile);
          connections.close();
        },
      },
    ],
  };
}

/** A caller repeats what is UNAVAILABLE. */
function expectServedOrUnavailable(responses: readonly Response[]): void {
  for (const { status } of responses) assert.ok([200, 503].includes(status), String(status));
  assert.ok(responses.some(({ status }) => status === 200));
}
