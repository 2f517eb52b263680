import assert from 'node:assert/strict';
import { activities, addActivityLogs } from '../../support/factories.ts';
import { readToTheEnd } from '../read-to-the-end.ts';
import type { Stage, Target } from '../scene.ts';
import { post, unreadConnections } from '../sockets.ts';

const kibibyte = 1_024;
/** Records of 250 KiB each: 15 MB together, more than a page. */
const recordCount = 60;
const recordsPerCall = 30;
/** A page of 28 such records has 7 MB. */
const sevenMegabytes = 28;

const readOf = ({ attacker, document }: Target, pageSize: number): Buffer =>
  post('/v2/activities/get', attacker.headers, JSON.stringify({ data: { ...document, pageSize } }));

/** JSON doubles the quotes, and an outcome has its id twice: 4 MB for 1,000 records. */
const longId = (number: number): string => `${'"'.repeat(990)}${String(number)}`;

/** A call whose 1,000 outcomes are failures, so that it can be repeated without end. */
const deletionOf = ({ attacker, document }: Target): Buffer =>
  post('/v2/activities/delete', attacker.headers, JSON.stringify({ data: document }));

/** More response data than the API has memory, which callers read or do not read. */
export function responses(full: boolean): Stage {
  const attackers = full ? 200 : 60;
  const callsMeanwhile = full ? 100 : 30;
  return {
    async prepare({ attacker, document }) {
      for (let added = 0; added < recordCount; added += recordsPerCall)
        await addActivityLogs(
          attacker,
          document,
          activities(recordsPerCall, { entityData: 'x'.repeat(250 * kibibyte) }),
        );
    },
    scenes: [
      {
        title: 'three readers of 15 MB',
        async attack({ attacker, document }) {
          const found = await Promise.all([1, 2, 3].map(() => readToTheEnd(attacker, document)));
          assert.deepEqual(found, [recordCount, recordCount, recordCount]);
        },
      },
      {
        title: `${String(attackers)} pipelined reads of 7 MB on one connection that reads nothing`,
        async attack(target, neighborServed) {
          const reads = Array.from({ length: attackers }, () => readOf(target, sevenMegabytes));
          const connections = await unreadConnections(target.url, 1, Buffer.concat(reads));
          await neighborServed(callsMeanwhile);
          connections.close();
        },
      },
      {
        title: `${String(attackers)} connections that do not read their 7 MB`,
        async attack(target, neighborServed) {
          const connections = await unreadConnections(target.url, attackers, readOf(target, sevenMegabytes));
          await neighborServed(callsMeanwhile);
          connections.close();
        },
      },
      {
        title: `${String(attackers)} connections that do not read the 4 MB of a write`,
        async prepare({ attacker, document }) {
          const records = activities(1_000).map((activity, number) => ({ ...activity, id: longId(number) }));
          await addActivityLogs(attacker, document, records);
          const immutable = { activityServiceConfig: { immutable: true } };
          await attacker.ok('/v2/workspace/activityconfig/update', immutable);
        },
        async attack(target, neighborServed) {
          const connections = await unreadConnections(target.url, attackers, deletionOf(target));
          await neighborServed(callsMeanwhile);
          connections.close();
        },
      },
    ],
  };
}
