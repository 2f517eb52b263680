import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { calledThrough, aTenant, type TestTenant } from '../../support/factories.ts';
import { aRawCaller, chunkOf, headOf, responsesIn, type RawResponse } from '../../support/raw-caller.ts';

const mebibyte = 1_048_576;
const get = '/v2/organizations/get';
const addActivityLogs = '/v2/activities/add';
const api = await startTestApi();
afterAll(api.close);
const tenant = await aTenant(api);
const wrong = { ...tenant.headers, 'x-svc-auth-token': 'wrong' };

/** Sends the head and all or the start of a body, and returns the first response. */
async function first(
  to: TestApi,
  path: string,
  headers: Readonly<Record<string, string | number>>,
  body: readonly string[] = [],
): Promise<RawResponse> {
  const caller = await aRawCaller(to.url);
  const sending = (async () => {
    for (const part of [headOf(path, headers), ...body]) await caller.write(part);
  })();
  const [response] = responsesIn(await caller.until(/\r\n\r\n\{.*\}$/s));
  caller.socket.destroy();
  await sending;
  if (response === undefined) throw new Error('No response.');
  return response;
}

const chunked = { 'Transfer-Encoding': 'chunked' };
const kibibytes = (count: number): string[] =>
  Array.from({ length: count / 64 }, () => chunkOf('a'.repeat(65_536)));
const lastChunk = '0\r\n\r\n';

const outcome = ({ status, body }: RawResponse) => [status, body.error?.status];

describe('the frame, before the body arrives', () => {
  it.each([
    ['path', '/nowhere', { 'Content-Length': 100 * mebibyte }, [404, 'NOT_FOUND']],
    ['size', get, { 'Content-Length': mebibyte + 1, ...wrong }, [413, 'INVALID_ARGUMENT']],
    [
      'size of 10 MiB',
      addActivityLogs,
      { 'Content-Length': 10 * mebibyte + 1, ...wrong },
      [413, 'INVALID_ARGUMENT'],
    ],
    ['missing credentials', addActivityLogs, { 'Content-Length': 10 * mebibyte }, [401, 'UNAUTHENTICATED']],
    [
      'wrong credentials',
      addActivityLogs,
      { 'Content-Length': 10 * mebibyte, ...wrong },
      [403, 'PERMISSION_DENIED'],
    ],
  ])('refuses %s from the head alone', async (_what, path, headers, refusal) => {
    expect(outcome(await first(api, path, headers))).toEqual(refusal);
  });

  it('refuses calls above the rate from the head alone, and reports the size of a body before the rate', async () => {
    const limited = await startTestApi({
      database: api.database,
      environment: { STEWARD_RATE_LIMIT: '1', STEWARD_RATE_BURST: '1' },
    });
    try {
      const large = { 'Content-Length': mebibyte + 1, ...tenant.headers };
      expect(outcome(await first(limited, get, large))).toEqual([413, 'INVALID_ARGUMENT']);
      const tooMany = [...kibibytes(1_024 + 64)];
      const chunks = { ...chunked, ...tenant.headers };
      const caller = calledThrough(limited, tenant);
      expect((await caller.call(get, {})).status).toBe(200);
      /** Takes the token before the request, again while a slow machine needs so long that a new one comes. */
      const refusedByRate = async (headers: Readonly<Record<string, string | number>>, body?: string[]) =>
        eventually(async () => {
          await caller.call(get, {});
          const refusal = outcome(await first(limited, get, headers, body));
          expect(refusal).toEqual([429, 'RESOURCE_EXHAUSTED']);
        });
      await refusedByRate({ 'Content-Length': mebibyte, ...tenant.headers });
      expect(outcome(await first(limited, get, chunks, tooMany))).toEqual([413, 'INVALID_ARGUMENT']);
      await refusedByRate(chunks, [chunkOf('{'), lastChunk]);
    } finally {
      await limited.close();
    }
  });
});

describe('a chunked body', () => {
  it('takes a token and reports the rate when it is refused', async () => {
    const hasty = await startTestApi({
      database: api.database,
      environment: { STEWARD_RATE_LIMIT: '1', STEWARD_RATE_BURST: '100', STEWARD_BODY_BUDGET: '32MiB' },
      limits: { bodyWithinMs: 2_000, roomWithinMs: 50 },
    });
    try {
      const headers = { ...chunked, ...tenant.headers };
      const refusals = [
        await first(hasty, get, headers, [...kibibytes(1_024), chunkOf('a')]),
        await first(hasty, get, headers, [chunkOf('{')]),
        await first(hasty, addActivityLogs, headers, kibibytes(10_240)),
        await first(hasty, get, headers, [chunkOf('{'), lastChunk]),
      ];
      expect(refusals.map(({ status }) => status)).toEqual([413, 408, 503, 400]);
      // Each takes the burst's next token, of which one returns per second.
      for (const { headers: reported } of refusals) {
        expect(reported['ratelimit-limit']).toBe('100');
        expect(Number(reported['ratelimit-remaining'])).toBeLessThan(100);
        expect(reported).toHaveProperty('ratelimit-reset');
      }
    } finally {
      await hasty.close();
    }
  });

  it('is discarded beyond the rate, without room in the budget', async () => {
    const limited = await startTestApi({
      database: api.database,
      environment: { STEWARD_RATE_LIMIT: '1', STEWARD_RATE_BURST: '1', STEWARD_BODY_BUDGET: '32MiB' },
      limits: { roomWithinMs: 50 },
    });
    try {
      const headers = { ...chunked, ...tenant.headers };
      const large = [...kibibytes(10_240), lastChunk];
      const beyond = [...kibibytes(10_240), chunkOf('a')];
      // Again while a slow machine needs so long that each call gets a token.
      await eventually(async () => {
        const calls = Array.from({ length: 5 }, async () => first(limited, addActivityLogs, headers, large));
        const statuses = new Set((await Promise.all(calls)).map(({ status }) => status));
        expect(statuses).toEqual(new Set([503, 429]));
        expect((await first(limited, addActivityLogs, headers, beyond)).status).toBe(413);
      });
    } finally {
      await limited.close();
    }
  });

  it.each([
    ['missing', {}, [401, 'UNAUTHENTICATED']],
    ['wrong', wrong, [403, 'PERMISSION_DENIED']],
  ])('is counted before %s credentials are refused', async (_what, headers, refusal) => {
    const within = [...kibibytes(1_024), lastChunk];
    expect(outcome(await first(api, get, { ...chunked, ...headers }, within))).toEqual(refusal);
    const beyond = [...kibibytes(1_024), chunkOf('a')];
    expect(outcome(await first(api, get, { ...chunked, ...headers }, beyond))).toEqual([
      413,
      'INVALID_ARGUMENT',
    ]);
  });

  it('is accepted at 10 MiB and returns 413 for a byte more', async () => {
    const headers = { ...chunked, ...tenant.headers };
    const response = await first(api, addActivityLogs, headers, [...kibibytes(10_240), lastChunk]);
    expect(response.body.error?.message).toBe('Request body must be valid JSON.');
    const beyond = await first(api, addActivityLogs, headers, [...kibibytes(10_240), chunkOf('a')]);
    expect(outcome(beyond)).toEqual([413, 'INVALID_ARGUMENT']);
  });

  it('with wrong credentials counts as failed also when it is oversized or broken, and is refused for that first', async () => {
    const strict = await startTestApi({
      database: api.database,
      environment: { STEWARD_FAILED_CREDENTIALS_LIMIT: '2' },
    });
    try {
      const headers = { ...chunked, ...wrong };
      const tooLarge = [...kibibytes(1_024), chunkOf('a')];
      expect((await first(strict, get, headers, tooLarge)).status).toBe(413);
      expect((await first(strict, get, headers, ['ZZ\r\n'])).status).toBe(400);
      expect((await first(strict, get, headers, [lastChunk])).status).toBe(429);
      expect((await first(strict, get, headers, tooLarge)).status).toBe(413);
    } finally {
      await strict.close();
    }
  });
});

describe('a request with Expect: 100-continue', () => {
  const expecting = { Expect: '100-continue', 'Content-Length': 11 };

  it('gets 100 Continue when it passes the checks', async () => {
    const caller = await aRawCaller(api.url);
    await caller.write(headOf(get, { ...expecting, ...tenant.headers }));
    expect(await caller.until(/100 Continue\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    await caller.write('{"data":{}}');
    expect(await caller.until(/200 OK/)).toContain('HTTP/1.1 200 OK');
    caller.socket.destroy();
  });

  it.each([
    ['unknown path', '/nowhere', expecting, 404],
    ['body too large', get, { ...expecting, 'Content-Length': mebibyte + 1 }, 413],
    ['missing credentials', get, expecting, 401],
    ['missing credentials of a chunked body', get, { Expect: '100-continue', ...chunked }, 401],
    ['wrong credentials', get, { ...expecting, ...wrong }, 403],
  ])(
    'is refused for %s without 100 Continue, and closes the connection',
    async (_what, path, headers, status) => {
      const response = await first(api, path, headers);
      expect(response.status).toBe(status);
      expect(response.headers['connection']).toBe('close');
    },
  );

  it('returns 417 in the envelope for any other expectation', async () => {
    const response = await first(api, get, { Expect: 'the-unexpected', 'Content-Length': 2 }, ['{}']);
    expect([response.status, response.body.error?.message]).toEqual([417, 'Expect must be 100-continue.']);
    expect(response.body.error?.details['requestId']).toBe(response.headers['x-request-id']);
  });
});

describe('a slow body', () => {
  it.each([
    ['declared', { 'Content-Length': 1_000 }, '{"data"'],
    ['chunked', chunked, chunkOf('{"data"')],
    ['of which nothing comes', { 'Content-Length': 1_000 }, ''],
  ])('returns 408 in the envelope when it is %s', async (_what, headers, part) => {
    const hasty = await startTestApi({ database: api.database, limits: { bodyWithinMs: 50 } });
    try {
      const response = await first(hasty, get, { ...headers, ...tenant.headers }, [part]);
      expect(outcome(response)).toEqual([408, 'DEADLINE_EXCEEDED']);
      expect(response.body.error?.message).toBe('Request body must arrive within 1 seconds.');
      expect(response.body.error?.details['requestId']).toBe(response.headers['x-request-id']);
      const missing = await first(hasty, get, { ...chunked }, [chunkOf('{')]);
      expect(outcome(missing)).toEqual([408, 'DEADLINE_EXCEEDED']);
    } finally {
      await hasty.close();
    }
  });

  it('is refused when its auth token is reset while it arrives', async () => {
    const other = await aTenant(api);
    const caller = await aRawCaller(api.url);
    await caller.write(
      headOf(get, { 'Content-Length': 11, ...other.headers, 'X-Request-Id': 'slow-and-reset' }),
    );
    await caller.write('{"data"');
    await other.workspace.ok('/v2/workspace/authtoken/reset', { apiKey: other.apiKey });
    const begun = performance.now();
    await eventually(() => performance.now() - begun > 1_500);
    await caller.write(':{}}');
    expect(await caller.until(/\r\n\r\n\{.*\}$/s)).toMatch(/^HTTP\/1.1 403 /);
    caller.socket.destroy();
  });
});

describe('the body budget of a process', () => {
  /** A caller whose body of 5 MiB lacks its last byte. */
  async function almostSent(to: TestApi, by: TestTenant, mebibytes = 5) {
    const caller = await aRawCaller(to.url);
    await caller.write(headOf(addActivityLogs, { 'Content-Length': mebibytes * mebibyte, ...by.headers }));
    void caller.write('a'.repeat(mebibytes * mebibyte - 1));
    return caller;
  }

  it('refuses bodies only of the key that holds its quarter', async () => {
    const patient = await startTestApi({
      database: api.database,
      environment: { STEWARD_BODY_BUDGET: '64MiB' },
      limits: { roomWithinMs: 300 },
    });
    try {
      const callers = await Promise.all(Array.from({ length: 8 }, async () => almostSent(patient, tenant)));
      await eventually(() => callers.some((caller) => caller.received() !== ''));
      const refused = callers.filter((caller) => caller.received() !== '');
      for (const caller of refused) {
        const [response] = responsesIn(await caller.until(/\r\n\r\n\{.*\}$/s));
        expect(response?.status).toBe(503);
        expect(response?.headers['retry-after']).toBe('5');
        expect(outcome(response as RawResponse)).toEqual([503, 'UNAVAILABLE']);
      }
      const other = calledThrough(patient, await aTenant(api));
      const raw = 'a'.repeat(5 * mebibyte);
      const beside = await other.call(addActivityLogs, undefined, { raw });
      expect(beside.body.error?.message).toBe('Request body must be valid JSON.');
      // Small calls of the same key are still served.
      expect((await calledThrough(patient, tenant).call(get, {})).status).toBe(200);
      for (const caller of callers) caller.socket.destroy();
      const again = await calledThrough(patient, tenant).call(addActivityLogs, undefined, { raw });
      expect(again.status).toBe(400);
    } finally {
      await patient.close();
    }
  });

  it('admits 20 concurrent bodies of 5 MiB of one key in turn', async () => {
    const patient = await startTestApi({
      database: api.database,
      limits: { roomWithinMs: 60_000, bodyWithinMs: 60_000 },
    });
    try {
      const caller = calledThrough(patient, tenant);
      const raw = 'a'.repeat(5 * mebibyte);
      const calls = Array.from({ length: 20 }, async () => caller.call(addActivityLogs, undefined, { raw }));
      const messages = (await Promise.all(calls)).map(({ body }) => body.error?.message);
      expect(new Set(messages)).toEqual(new Set(['Request body must be valid JSON.']));
    } finally {
      await patient.close();
    }
  });
});

describe('the API', () => {
  it('returned no INTERNAL in this file', () => {
    expect(api.log.filter((line) => line.includes('"unexpected error"'))).toEqual([]);
  });
});
