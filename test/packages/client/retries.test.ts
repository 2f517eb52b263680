import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { getEventListeners, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  ConnectionError,
  createClient,
  DeadlineExceededError,
  StewardError,
  type ApiKeyClient,
  type ClientOptions,
} from '../../../packages/client/source/steward.ts';

/** Servers that return scripted responses and repeat the last one. */
const standIns: Server[] = [];
afterEach(() => {
  for (const server of standIns.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

interface Scripted {
  /** 0 closes the connection without a response, -1 never responds. */
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function aStandIn(script: readonly Scripted[], options: ClientOptions = {}) {
  const requests: { readonly at: number; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    const { status, body = '', headers } = script[Math.min(requests.length, script.length - 1)] as Scripted;
    requests.push({ at: Date.now(), headers: request.headers });
    request.resume();
    if (status === 0) request.socket.destroy();
    else if (status > 0) response.writeHead(status, { connection: 'close', ...headers }).end(body);
  });
  standIns.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    requests,
    url,
    client: createClient({ baseUrl: url, apiKey: 'key', authToken: 'token', ...options }),
  };
}

const failure = (status: string): string =>
  JSON.stringify({ error: { status, message: 'Refused.', details: { requestId: 'r' } } });
const away: Scripted = { status: 503, headers: { 'retry-after': '0' }, body: failure('UNAVAILABLE') };
const fine: Scripted = {
  status: 200,
  body: JSON.stringify({ result: { status: 'success', message: 'Done.', data: [] } }),
};

const read = async (client: ApiKeyClient) => await client.organizations.get();
const write = (client: ApiKeyClient) => client.organizations.delete({ organizationIds: ['a'] });

describe('a transient failure', () => {
  it('of a connection is followed by any number of ABORTED attempts while the first one runs', async () => {
    const lost: Scripted = { status: 0 };
    const running: Scripted = { status: 409, headers: { 'retry-after': '0' }, body: failure('ABORTED') };
    const { client, requests } = await aStandIn([lost, running, running, running, running, fine]);
    await expect(write(client)).resolves.toMatchObject({ message: 'Done.' });
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(requests).toHaveLength(6);
    const once = await aStandIn([lost, running, fine], { maxAttempts: 1 });
    await expect(write(once.client)).rejects.toBeInstanceOf(ConnectionError);
  });

  it('ends after maxAttempts when each attempt is ABORTED by another call', async () => {
    const other: Scripted = { status: 409, headers: { 'retry-after': '0' }, body: failure('ABORTED') };
    const { client, requests } = await aStandIn([other]);
    await expect(write(client)).rejects.toMatchObject({ status: 'ABORTED' });
    expect(requests).toHaveLength(3);
  });

  it.each<[string, Scripted]>([
    ['a closed connection', { status: 0 }],
    ['429', { status: 429, body: failure('RESOURCE_EXHAUSTED') }],
    ['502 of a proxy', { status: 502, body: '<html>' }],
    ['503', away],
    ['409 ABORTED', { status: 409, headers: { 'retry-after': '0' }, body: failure('ABORTED') }],
  ])('is retried: %s', async (_, failed) => {
    const reading = await aStandIn([failed, failed, fine]);
    await expect(read(reading.client)).resolves.toMatchObject({ message: 'Done.' });
    expect(reading.requests).toHaveLength(3);
    expect(reading.requests[0]?.headers['idempotency-key']).toBeUndefined();
    const writing = await aStandIn([failed, failed, fine]);
    await expect(write(writing.client)).resolves.toMatchObject({ message: 'Done.' });
    const keys = writing.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[!-~]{20,255}$/);
  });

  it('is thrown after three attempts', async () => {
    const { requests, client } = await aStandIn([away]);
    await expect(write(client)).rejects.toMatchObject({
      status: 'UNAVAILABLE',
      httpStatus: 503,
      requestId: 'r',
    });
    expect(requests).toHaveLength(3);
  });

  it('is not retried with maxAttempts 1, which sends no automatic key', async () => {
    const { requests, client } = await aStandIn([away], { maxAttempts: 1 });
    await expect(write(client)).rejects.toBeInstanceOf(StewardError);
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined]);
  });

  it('is retried under one key for a call by path, unless the caller says that it only reads', async () => {
    const keysOf = async (options?: { readonly writes: boolean }) => {
      const { requests, client } = await aStandIn([away, fine]);
      await client.request('/v2/newer/operation', {}, options);
      return requests.map(({ headers }) => headers['idempotency-key']);
    };
    const [first, second] = await keysOf();
    expect(first).toMatch(/^[!-~]{20,255}$/);
    expect(second).toBe(first);
    expect(await keysOf({ writes: false })).toEqual([undefined, undefined]);
  });

  it('is retried under the caller’s own key', async () => {
    const { requests, client } = await aStandIn([away, fine]);
    await client.organizations.delete({ organizationIds: ['a'] }, { idempotencyKey: 'mine' });
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine']);
  });

  it('is retried after Retry-After, in seconds or as a date', async () => {
    const requested = async (retryAfter: string): Promise<number[]> => {
      const headers = { 'retry-after': retryAfter };
      const { requests, client } = await aStandIn([{ ...away, headers }, fine]);
      await read(client);
      return requests.map(({ at }) => at);
    };
    const [first, second] = await requested('1');
    expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(990);
    // The date itself is the bound: on a slow machine, less than 3 s of it may be left at the first request.
    const date = new Date(Date.now() + 3_000).toUTCString();
    const [, afterDate] = await requested(date);
    expect(Number(afterDate)).toBeGreaterThanOrEqual(Date.parse(date) - 10);
  });

  it('is thrown when Retry-After exceeds the time limit of the call', async () => {
    const late = await aStandIn([{ ...away, headers: { 'retry-after': '61' } }, fine]);
    await expect(read(late.client)).rejects.toMatchObject({ status: 'UNAVAILABLE', retryAfter: 61 });
    expect(late.requests).toHaveLength(1);
  });

  it('is not retried after a signal aborts', async () => {
    const waiting = { ...away, headers: { 'retry-after': '50' } };
    const ofClient = new AbortController();
    const { requests, client } = await aStandIn([waiting], { signal: ofClient.signal });
    const ofCall = new AbortController();
    const called = client.organizations.get({}, { signal: ofCall.signal }).catch((error: unknown) => error);
    ofCall.abort(new Error('Enough.'));
    await expect(called).resolves.toThrow('Enough.');
    const other = read(client);
    ofClient.abort(new Error('Enough of all.'));
    await expect(other).rejects.toThrow('Enough of all.');
    await expect(read(client)).rejects.toThrow('Enough of all.');
    expect(requests.length).toBeLessThanOrEqual(2);
  });

  it.each<[string, Scripted]>([
    ['400', { status: 400, body: failure('INVALID_ARGUMENT') }],
    ['404', { status: 404, body: failure('NOT_FOUND') }],
    ['500', { status: 500, body: failure('INTERNAL') }],
    ['504', { status: 504, body: failure('DEADLINE_EXCEEDED') }],
  ])('is distinguished from a final one: %s', async (_, failed) => {
    const { requests, client } = await aStandIn([failed]);
    await expect(write(client)).rejects.toThrow('Refused.');
    expect(requests).toHaveLength(1);
  });
});

describe('a time limit', () => {
  it('ends a call without a response, regardless of its attempts', async () => {
    const { requests, client } = await aStandIn([{ status: -1 }]);
    const called = client.organizations.get({}, { timeoutMs: 100 });
    const error: unknown = await called.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DeadlineExceededError);
    expect(error).toMatchObject({ status: 'DEADLINE_EXCEEDED', httpStatus: 0 });
    // None when the limit passes before a slow machine has connected.
    expect(requests.length).toBeLessThanOrEqual(1);
  });
});

describe('a newer server', () => {
  it('may return statuses and members that this release does not know', async () => {
    const { client } = await aStandIn([{ status: 418, body: failure('TEAPOT') }]);
    await expect(read(client)).rejects.toMatchObject({
      name: 'StewardError',
      status: 'TEAPOT',
      httpStatus: 418,
    });
    const newer = { status: 'partial', message: 'Done.', data: [{ id: 'a', shade: 7 }], hint: {} };
    const other = await aStandIn([{ status: 200, body: JSON.stringify({ result: newer, meta: 1 }) }]);
    await expect(read(other.client)).resolves.toEqual(newer);
  });
});

describe('a server other than Steward', () => {
  it('is a ConnectionError with the cause when it does not respond', async () => {
    const client = createClient({
      baseUrl: 'http://127.0.0.1:1',
      apiKey: 'key',
      authToken: 'token',
      maxAttempts: 1,
    });
    const error: unknown = await read(client).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ name: 'ConnectionError', status: 'UNAVAILABLE', httpStatus: 0 });
    expect((error as Error).cause).toBeDefined();
  });

  it.each([
    [502, 'UNAVAILABLE'],
    [429, 'RESOURCE_EXHAUSTED'],
    [500, 'INTERNAL'],
    [200, 'UNKNOWN'],
    [404, 'UNKNOWN'],
  ])('that returns %s without the envelope causes %s', async (status, expected) => {
    const { client } = await aStandIn([{ status, body: '<html>' }], { maxAttempts: 1 });
    await expect(read(client)).rejects.toMatchObject({
      status: expected,
      httpStatus: status,
      message: expect.stringMatching(/is not one of Steward: check baseUrl/),
    });
  });

  it.each([
    [
      { status: 'PERMISSION_DENIED', message: 'Blocked.', details: null },
      { status: 'PERMISSION_DENIED', message: 'Blocked.', details: {} },
    ],
    [
      { status: 403, message: 'Blocked.' },
      { status: 'UNKNOWN', message: 'Blocked.' },
    ],
    [
      { status: null, message: { text: 'Blocked.' }, details: { requestId: 7 } },
      { status: 'UNKNOWN', message: expect.stringMatching(/is not one of Steward/), requestId: 'r' },
    ],
    ['Blocked.', { status: 'UNKNOWN', message: expect.stringMatching(/is not one of Steward/) }],
    [null, { status: 'UNKNOWN', details: {} }],
  ])('that returns 403 with the error %j is called once', async (error, expected) => {
    const blocked = { status: 403, headers: { 'x-request-id': 'r' }, body: JSON.stringify({ error }) };
    const { requests, client } = await aStandIn([blocked]);
    await expect(write(client)).rejects.toMatchObject({ ...expected, httpStatus: 403 });
    expect(requests).toHaveLength(1);
  });

  it('cannot redirect the credentials to another address', async () => {
    const elsewhere = await aStandIn([fine]);
    const { client } = await aStandIn([{ status: 307, headers: { location: elsewhere.url } }], {
      maxAttempts: 1,
    });
    await expect(read(client)).rejects.toMatchObject({ httpStatus: 0 });
    expect(elsewhere.requests).toHaveLength(0);
  });
});

describe('an export', () => {
  const data = { status: 200, body: 'one line\n' };

  async function exporting(...script: readonly Scripted[]) {
    const controller = new AbortController();
    const { signal } = controller;
    const { url } = await aStandIn(script);
    const client = createClient({ baseUrl: url, workspaceId: 'ws', workspaceAuthToken: 'token', signal });
    return {
      controller,
      listeners: () => getEventListeners(signal, 'abort').length,
      start: () => client.workspace.auditLog.export({}),
    };
  }

  it('leaves the signal of its client once it was read or canceled', async () => {
    const { listeners, start } = await exporting(data);
    const read = await start();
    expect(listeners()).toBe(1);
    await expect(new Response(read).text()).resolves.toBe('one line\n');
    expect(listeners()).toBe(0);
    await (await start()).cancel();
    expect(listeners()).toBe(0);
  });

  it('leaves the signal of its client once it has failed', async () => {
    const { controller, listeners, start } = await exporting(
      { status: 403, body: failure('PERMISSION_DENIED') },
      data,
    );
    await expect(start()).rejects.toMatchObject({ status: 'PERMISSION_DENIED' });
    expect(listeners()).toBe(0);
    const read = await start();
    controller.abort(new Error('Closed.'));
    await expect(new Response(read).text()).rejects.toThrow('Closed.');
    expect(listeners()).toBe(0);
  });
});
