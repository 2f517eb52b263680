import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { post, unreadConnections } from '../../attacks/sockets.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import type { Response } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import {
  activities,
  addActivityLogs,
  aDocument,
  aTenant,
  withActivityLogs,
  type TestDocument,
  type TestTenant,
} from '../../support/factories.ts';

const kibibyte = 1_024;

let api: TestApi;
let tenant: TestTenant;
let document: TestDocument;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await withActivityLogs(await aTenant(api));
  document = await aDocument(tenant);
  const [record] = activities(1, { entityData: 'x'.repeat(250 * kibibyte) });
  for (let added = 0; added < 60; added += 20)
    await addActivityLogs(
      tenant,
      document,
      Array.from({ length: 20 }, () => record ?? {}),
    );
});
afterAll(() => api.close());

/** Expects that a call is refused while 60 unread responses hold the read budget of its key. */
async function expectRefusedWithoutRoom(call: () => Promise<Response>): Promise<void> {
  const body = JSON.stringify({ data: { ...document, pageSize: 40 } });
  const refused = await eventually(async () => {
    const unread = await unreadConnections(api.url, 60, post('/v2/activities/get', tenant.headers, body));
    try {
      // Opened again before the server destroys them: it does after 30 s.
      return await eventually(() => refusalOf(call), { within: 20_000 });
    } finally {
      unread.close();
    }
  });
  expect(refused.headers['idempotent-replayed']).toBeUndefined();
}

/** Throws for a call that succeeds, or that a busy machine refuses for another reason. */
async function refusalOf(call: () => Promise<Response>): Promise<Response> {
  const response = await call();
  expect([response.status, response.headers['retry-after']]).toEqual([503, '5']);
  return response;
}

describe('a large response to a repeated call with an Idempotency-Key', () => {
  /** 1,000 ids of the max size: a response beyond 1 MiB that is stored in a few kilobytes. */
  const organizations = Array.from({ length: 1_000 }, (_, at) => ({
    organizationId: `${String(at)}-`.padEnd(1_000, 'x'),
  }));
  const add = async () =>
    tenant.call('/v2/organizations/add', { organizations }, { idempotencyKey: 'large' });

  it('is the first response, and is refused without room in the read budget', async () => {
    const first = await add();
    expect([first.status, Buffer.byteLength(first.text) > 1_000 * kibibyte]).toEqual([200, true]);
    const again = await add();
    expect([again.status, again.headers['idempotent-replayed'], again.text]).toEqual([
      200,
      'true',
      first.text,
    ]);
    await expectRefusedWithoutRoom(add);
    // The room returns once the API has seen the connections closed.
    await eventually(async () => expect((await add()).text).toBe(first.text));
  });
});

describe('a change of a large collaborative record', () => {
  it('is written, and is refused without room in the read budget', async () => {
    const record = { ...document, editorId: 'notes', type: 'text' };
    await tenant.ok('/v2/crdt/add', { ...record, data: 'x'.repeat(9_000 * kibibyte) });
    const updated = async (data: string) => tenant.call('/v2/crdt/update', { ...record, data });
    expect((await updated('y'.repeat(9_000 * kibibyte))).status).toBe(200);
    await expectRefusedWithoutRoom(async () => updated('z'.repeat(9_000 * kibibyte)));
    await eventually(async () => expect((await updated('small')).status).toBe(200));
    const { data } = await tenant.ok<{ data: string }[]>('/v2/crdt/get', { ...document, editorId: 'notes' });
    expect(data[0]?.data).toBe('small');
  });
});
