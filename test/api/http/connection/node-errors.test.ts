import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../../support/api.ts';
import { eventually } from '../../../support/eventually.ts';
import { anOrganization, aTenant } from '../../../support/factories.ts';
import {
  aRawCaller,
  chunkOf,
  headOf,
  responsesIn,
  type RawCaller,
  type RawResponse,
} from '../../../support/raw-caller.ts';

const api = await startTestApi();
afterAll(api.close);
const tenant = await aTenant(api);
const get = '/v2/organizations/get';

/** Writes bytes and returns the responses until the server closes. */
async function responsesTo(...parts: readonly string[]): Promise<RawResponse[]> {
  const caller = await aRawCaller(api.url);
  for (const part of parts) await caller.write(part);
  await eventually(() => caller.ended() || caller.failure() !== undefined);
  caller.socket.destroy();
  return responsesIn(caller.received());
}

function expectRefusal(response: RawResponse | undefined, status: number, message: string): void {
  expect(response?.status).toBe(status);
  expect(response?.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    connection: 'close',
  });
  const { error } = response?.body ?? {};
  expect(error?.message).toBe(message);
  expect(error?.details['requestId']).toBe(response?.headers['x-request-id']);
  expect(api.accessLine(response?.headers['x-request-id'] ?? '')).toMatchObject({
    status,
    failure: error?.status,
  });
}

describe('a request target without a path that can be read', () => {
  it.each(['foo://x', 'http://', 'http://?a', 'http://%zz@x/', '//%@x#', 'http://x:99999999/', '*'])(
    'is an unknown operation: %s',
    async (target) => {
      for (const method of ['POST', 'GET', 'OPTIONS']) {
        const head = `${method} ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
        const [response] = await responsesTo(head);
        // Node itself refuses `*` for other methods.
        if (response?.status === 400 && target === '*') continue;
        expect([method, response?.status, response?.body?.error?.message]).toEqual([
          method,
          404,
          'Operation does not exist.',
        ]);
      }
    },
  );
});

describe('an error that Node detects', () => {
  const notHttp = 'Request must be valid HTTP/1.1.';

  it.each([
    ['no HTTP', 'no http\r\n\r\n', 400, notHttp],
    ['a header without a name', 'POST / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n', 400, notHttp],
    [
      'a length and chunks',
      headOf(get, { 'Content-Length': 2, 'Transfer-Encoding': 'chunked' }),
      400,
      notHttp,
    ],
    ['a length that is no number', headOf(get, { 'Content-Length': 'x' }), 400, notHttp],
    ['a request without Host', `POST ${get} HTTP/1.1\r\n\r\n`, 400, 'Host not found in headers.'],
    [
      'a head beyond 16 KiB',
      headOf(get, { 'X-Long': 'a'.repeat(17_000) }),
      431,
      'Request headers must not exceed 16 KiB.',
    ],
    [
      'more than 200 headers',
      headOf(get, Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x-${String(index)}`, 1]))),
      431,
      'Request must not have more than 200 headers.',
    ],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 405, 'Use POST.'],
    [
      'chunks that are none',
      `${headOf(get, { ...tenant.headers, 'Transfer-Encoding': 'chunked' })}zz\r\n`,
      400,
      notHttp,
    ],
    [
      'chunk extensions beyond 16 KiB',
      `${headOf(get, { ...tenant.headers, 'Transfer-Encoding': 'chunked' })}2;${'a'.repeat(20_000)}\r\n{}\r\n`,
      413,
      'Chunk extensions of the request body must not exceed 16 KiB.',
    ],
  ])('for %s is returned in the envelope', async (_what, sent, status, message) => {
    const responses = await responsesTo(sent);
    expect(responses).toHaveLength(1);
    expectRefusal(responses[0], status, message);
  });

  it('returns the request id of the caller when the head was read', async () => {
    const head = headOf(get, {
      ...tenant.headers,
      'X-Request-Id': 'of-bad-chunks',
      'Transfer-Encoding': 'chunked',
    });
    const [response] = await responsesTo(head, chunkOf('{"data"'), 'zz\r\n');
    expect(response?.headers['x-request-id']).toBe('of-bad-chunks');
  });

  it('is returned to a caller that closes its half within a body', async () => {
    const caller = await aRawCaller(api.url);
    caller.socket.allowHalfOpen = true;
    await caller.write(`${headOf(get, { ...tenant.headers, 'Content-Length': 1_000 })}{"data"`);
    caller.socket.end();
    const [response] = responsesIn(await caller.until(/\r\n\r\n\{.*\}$/s));
    expectRefusal(response, 400, 'Request ended before its body was complete.');
    caller.socket.destroy();
  });
});

/** Sends an update that waits for a lock until `release` is called. */
async function aPendingUpdate(): Promise<{ caller: RawCaller; release: () => Promise<unknown> }> {
  const organizationId = await anOrganization(tenant);
  const blocker = await api.database.connect();
  await blocker.query('begin');
  await blocker.query('select 1 from organization where api_key_id = $1 for update', [tenant.id]);
  const body = JSON.stringify({ data: { organizations: [{ organizationId, organizationName: 'x' }] } });
  const caller = await aRawCaller(api.url);
  const head = headOf('/v2/organizations/update', {
    ...tenant.headers,
    'Content-Length': Buffer.byteLength(body),
  });
  await caller.write(`${head}${body}`);
  await eventually(async () => {
    const waiting = await api.database.sql(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return waiting.length > 0;
  });
  return { caller, release: async () => blocker.query('rollback') };
}

describe('invalid HTTP after a served request', () => {
  it.each([
    ['no HTTP', 'no http\r\n\r\n', 400],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 405],
  ])('(%s) is refused after its response', async (_what, behind, status) => {
    const { caller, release } = await aPendingUpdate();
    await caller.write(behind);
    await release();
    await eventually(() => caller.ended());
    const responses = responsesIn(caller.received());
    expect(responses.map((response) => response.status)).toEqual([200, status]);
    caller.socket.destroy();
  });
});

describe('a connection that its caller resets', () => {
  const connect = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';
  const upgrade = `GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n`;
  const expecting = headOf(get, { ...tenant.headers, Expect: '100-continue', 'Content-Length': 9 });

  /**
   * An uncaught error would fail this test's process, in which the API runs. Before the second response, the API has read
   * everything that callers wrote, and their resets.
   */
  const expectServing = async (): Promise<void> => {
    for (let call = 0; call < 2; call += 1) expect((await tenant.call(get, {})).status).toBe(200);
  };

  it.each([
    ['CONNECT', connect],
    ['CONNECT with bytes behind it', `${connect}${'x'.repeat(100_000)}`],
    ['an upgrade', upgrade],
    ['Expect', expecting],
    ['a part of a head', 'POST / HTTP/1.1\r\nHost'],
    ['no HTTP', 'no http\r\n\r\n'],
  ])('after %s leaves the API serving', async (_what, sent) => {
    for (let count = 0; count < 10; count += 1) {
      const caller = await aRawCaller(api.url);
      await caller.write(sent);
      // With and without time for the response.
      if (count % 2 === 1) await pause(10);
      caller.socket.resetAndDestroy();
    }
    await expectServing();
  });

  it('after CONNECT behind a request without its response leaves the API serving', async () => {
    for (let count = 0; count < 3; count += 1) {
      const { caller, release } = await aPendingUpdate();
      await caller.write(connect);
      await expectServing();
      caller.socket.resetAndDestroy();
      await expectServing();
      await release();
      await expectServing();
    }
  });
});

describe('a slow request head', () => {
  it('returns 408 in the envelope', async () => {
    const hasty = await startTestApi({ database: api.database, limits: { headWithinMs: 50 } });
    try {
      const caller = await aRawCaller(hasty.url);
      await caller.write(`POST ${get} HTTP/1.1\r\nHost:`);
      const [response] = responsesIn(await caller.until(/\r\n\r\n\{.*\}$/s));
      expect([response?.status, response?.body.error?.message]).toEqual([
        408,
        'Request did not arrive in time.',
      ]);
      await eventually(() => caller.ended());
    } finally {
      await hasty.close();
    }
  });
});
