import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { choosePort } from '../../../local/ports.ts';
import { post, unreadConnections } from '../../attacks/sockets.ts';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import {
  aDocument,
  activities,
  addActivityLogs,
  aTenant,
  withActivityLogs,
  type TestDocument,
  type TestTenant,
} from '../../support/factories.ts';
import { scrape } from '../../support/metrics.ts';

const port = await choosePort(undefined);
const api = await startTestApi({ environment: { METRICS_PORT: String(port) } });
afterAll(api.close);
const mebibyte = 1_048_576;
/** Max of one key. */
const keyBytes = 12 * mebibyte;
const deletion = '/v2/activities/delete';

/** JSON doubles the quotes, and an outcome has its id twice. */
const quotes = (number: number): string => `${'"'.repeat(990)}${String(number)}`;

let writer: TestTenant;
let document: TestDocument;
let reader: TestTenant;
let readDocument: TestDocument;

beforeAll(async () => {
  writer = await withActivityLogs(await aTenant(api));
  document = await aDocument(writer);
  const records = activities(1_000).map((activity, number) => ({ ...activity, id: quotes(number) }));
  await addActivityLogs(writer, document, records);
  // Each deletion fails, so it can be repeated without end.
  await writer.ok('/v2/workspace/activityconfig/update', { activityServiceConfig: { immutable: true } });
  reader = await withActivityLogs(await aTenant(api));
  readDocument = await aDocument(reader);
  await addActivityLogs(reader, readDocument, activities(10));
});

const heldBytes = async (): Promise<number> =>
  (await scrape(port)).series.get('steward_api_read_budget_bytes') ?? 0;

describe.each([
  { what: 'a small request', path: deletion, connections: 30, dataOf: () => document },
  {
    what: 'a large request',
    path: '/v2/crdt/delete',
    // The bodies of more would exceed the body budget of the key.
    connections: 5,
    dataOf: () => ({ ...document, editorIds: Array.from({ length: 1_000 }, (_, number) => quotes(number)) }),
  },
])('responses of 4 MB to $what that a writer does not read', ({ path, connections, dataOf }) => {
  it('hold at most the share of its key, delay no other key, and refuse further ones', async () => {
    const data = dataOf();
    const unread = await unreadConnections(
      api.url,
      connections,
      // The sockets may buffer the first responses.
      Buffer.concat(Array.from({ length: 4 }, () => post(path, writer.headers, JSON.stringify({ data })))),
    );
    try {
      await eventually(async () => expect(await heldBytes()).toBeGreaterThan(8 * mebibyte));
      const further = writer.call(path, data);
      for (let calls = 0; calls < 10; calls += 1) {
        const list = await reader.ok<unknown[]>('/v2/activities/get', readDocument);
        expect(list.data).toHaveLength(10);
        expect(await heldBytes()).toBeLessThanOrEqual(keyBytes);
      }
      const { status, headers } = await further;
      expect([status, headers['retry-after']]).toEqual([503, '5']);
      // A small write of the same key needs no room.
      expect((await writer.call(deletion, { ...document, activityIds: ['unknown'] })).status).toBe(200);
    } finally {
      unread.close();
    }
    await eventually(async () => expect(await heldBytes()).toBe(0));
    const { data: outcomes } = await writer.ok<Record<string, unknown>>(path, data);
    expect(Object.keys(outcomes)).toHaveLength(1_000);
  });
});
