import assert from 'node:assert/strict';
import { eventually } from '../../support/eventually.ts';
import { activities, addActivityLogs, aDocument, type TestDocument } from '../../support/factories.ts';
import { readToTheEnd } from '../read-to-the-end.ts';
import type { Stage, Target } from '../scene.ts';
import { post, unreadConnections } from '../sockets.ts';

const kibibyte = 1_024;
const largeRecord = 250 * kibibyte;
const recordsPerCall = 39;
const connections = 3;
const readers = 20;
/** The max rows of a page, as records of the usual size. */
const recordsPerPage = 1_000;

const largeActivities = (): object[] => activities(recordsPerCall, { entityData: 'x'.repeat(largeRecord) });

/** Attacks that continue for a minute in full. */
export function sustained(full: boolean): Stage {
  /** Sequential bodies of 10 MiB on each connection. */
  const writesPerConnection = full ? 20 : 3;
  /** Sequential calls, whose records have 244 MB together in full. */
  const callsOfRecords = full ? 25 : 5;
  const readsPerCaller = full ? 5 : 1;
  const unread = full ? 100 : 30;
  const readersOfRows = full ? 200 : 30;
  let read: TestDocument;
  return {
    prepare: async ({ attacker, document }) => await addActivityLogs(attacker, document, largeActivities()),
    scenes: [
      {
        title: `${String(connections * writesPerConnection)} bodies of 10 MiB back to back`,
        async attack({ attacker, document }) {
          const write = async (): Promise<void> => {
            for (let sent = 0; sent < writesPerConnection; sent += 1)
              await addActivityLogs(attacker, document, largeActivities()).catch(passRefused);
          };
          await Promise.all(Array.from({ length: connections }, write));
        },
      },
      {
        title: `three readers of ${String(callsOfRecords)} times 10 MB`,
        async prepare({ attacker }) {
          read = await aDocument(attacker);
          for (let added = 0; added < callsOfRecords; added += 1)
            await addActivityLogs(attacker, read, largeActivities());
        },
        async attack({ attacker }) {
          const found = await Promise.all([1, 2, 3].map(() => readToTheEnd(attacker, read)));
          assert.deepEqual(
            found,
            [1, 2, 3].map(() => callsOfRecords * recordsPerCall),
          );
        },
      },
      {
        title: `${String(readers)} concurrent readers of 10 MiB pages`,
        async attack({ attacker, document }) {
          await readRepeatedly(attacker, document, { readers, readsPerCaller });
        },
      },
      {
        title: `${String(readersOfRows)} concurrent readers of pages of 1,000 records`,
        async prepare({ attacker }) {
          read = await aDocument(attacker);
          await addActivityLogs(attacker, read, activities(recordsPerPage));
        },
        async attack({ attacker }) {
          const paged = { ...read, pageSize: recordsPerPage };
          await readRepeatedly(attacker, paged, { readers: readersOfRows, readsPerCaller });
        },
      },
      {
        title: `${String(unread)} connections that read nothing until the API destroys them`,
        async attack({ url, attacker, document }) {
          const data = { ...document, pageSize: 28 };
          const bytes = post('/v2/activities/get', attacker.headers, JSON.stringify({ data }));
          const held = await unreadConnections(url, unread, bytes);
          await eventually(() => held.countOpen() === 0);
        },
      },
    ],
  };
}

/** Reads the same page by each reader in turn. A read that waits too long is refused; some must succeed. */
async function readRepeatedly(
  attacker: Target['attacker'],
  data: object,
  { readers, readsPerCaller }: { readonly readers: number; readonly readsPerCaller: number },
): Promise<void> {
  const readInTurn = async (): Promise<number[]> => {
    const statuses: number[] = [];
    while (statuses.length < readsPerCaller)
      statuses.push((await attacker.call('/v2/activities/get', data)).status);
    return statuses;
  };
  const statuses = (await Promise.all(Array.from({ length: readers }, readInTurn))).flat();
  assert.deepEqual(
    statuses.filter((status) => ![200, 503].includes(status)),
    [],
  );
  assert.ok(statuses.includes(200));
}

/** A write that waits too long is refused, which protects other callers. */
function passRefused(error: unknown): void {
  if (!String(error).includes('503') && !String(error).includes('UNAVAILABLE')) throw error;
}
