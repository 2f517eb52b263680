import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../../support/api.ts';
import { eventually } from '../../../support/eventually.ts';
import { calledThrough, aTenant, type TestTenant } from '../../../support/factories.ts';
import { closeConnections } from '../../../support/client.ts';
import { aRawCaller, chunkOf, headOf, responsesIn, type RawCaller } from '../../../support/raw-caller.ts';

const get = '/v2/organizations/get';
/** One owner holds at most 15 of them, and all owners 18. */
const max = 20;
const api = await startTestApi({ environment: { STEWARD_MAX_CONNECTIONS: String(max) } });
afterAll(api.close);
const [tenant, other, third] = [await aTenant(api), await aTenant(api), await aTenant(api)];

let callers: RawCaller[] = [];
afterEach(() => {
  for (const { socket } of callers) socket.destroy();
  callers = [];
  closeConnections();
});

/** Opens a connection that writes `parts`. */
async function aCaller(...parts: readonly string[]): Promise<RawCaller> {
  const caller = await aRawCaller(api.url);
  callers.push(caller);
  for (const part of parts) void caller.write(part);
  return caller;
}

async function open(count: number, ...parts: readonly string[]): Promise<void> {
  for (let opened = 0; opened < count; opened += 1) await aCaller(...parts);
}

/** The head of a call whose body does not arrive. The API reads the body once the caller is authenticated. */
const waiting = ({ headers }: TestTenant): string =>
  headOf(get, { ...headers, Expect: '100-continue', 'Content-Length': 11 });

/** Opens connections with a running call of a tenant. Expects that each of them has begun. */
async function hold(holder: TestTenant, count: number): Promise<void> {
  for (let held = 0; held < count; held += 1) await (await aCaller(waiting(holder))).until(/100 Continue/);
}

const statusOf = async (caller: RawCaller) => {
  const text = await caller.until(/^HTTP[^]*\r\n\r\n./);
  return Number(text.slice('HTTP/1.1 '.length).split(' ')[0]);
};

/** Calls on a new connection. */
async function expectServed(): Promise<void> {
  closeConnections();
  const probe = await aCaller('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(await statusOf(probe)).toBe(200);
  probe.socket.destroy();
}

async function expectRefused(caller: RawCaller): Promise<void> {
  await eventually(() => caller.ended());
  const [response] = responsesIn(caller.received());
  expect(response).toMatchObject({
    status: 503,
    body: {
      error: { status: 'UNAVAILABLE', message: 'Too many connections are open. Try again in a moment.' },
    },
    headers: { 'retry-after': '5', connection: 'close' },
  });
}

describe('the connection limit', () => {
  it('closes the longest idle connection to admit a new one', async () => {
    closeConnections();
    await open(max);
    const later = calledThrough(api, tenant);
    expect((await later.call(get, {})).status).toBe(200);
    const [first, ...others] = callers;
    await eventually(() => first?.ended() === true || first?.failure() !== undefined);
    expect(others.filter((caller) => caller.ended())).toEqual([]);
  });

  it.each([
    {
      title: 'chunked bodies',
      head: headOf(get, { 'Transfer-Encoding': 'chunked' }) + chunkOf('{'),
    },
    {
      title: 'sign-ins of the console',
      head: `${headOf('/console/session', { 'Sec-Fetch-Site': 'same-origin', 'Content-Length': 99 })}{`,
    },
    { title: 'unread pages', head: 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n' },
  ])('serves others while $title without credentials take every connection', async ({ head }) => {
    await open(2 * max, head);
    await eventually(
      () => callers.filter((caller) => caller.ended() || caller.failure() !== undefined).length >= max,
    );
    await expectServed();
    expect((await other.call(get, {})).status).toBe(200);
  });

  it('keeps a running call while new connections without credentials arrive', async () => {
    const call = await aCaller(waiting(tenant));
    await call.until(/100 Continue/);
    await open(3 * max, headOf(get, { 'Transfer-Encoding': 'chunked' }));
    await call.write('{"data":{}}');
    expect(await call.until(/200 OK/)).toMatch(/100 Continue[^]*200 OK/);
  });

  it('lets one key hold three quarters of the connections', async () => {
    await hold(tenant, 15);
    await expectRefused(await aCaller(waiting(tenant)));
    await expectServed();
    expect((await other.call(get, {})).status).toBe(200);
    callers[0]?.socket.destroy();
    await eventually(async () => expect((await tenant.call(get, {})).status).toBe(200));
  });

  it('lets all keys hold the connections except a sixteenth', async () => {
    await hold(tenant, 15);
    await hold(other, 3);
    await expectRefused(await aCaller(waiting(third)));
    await expectServed();
    callers[0]?.socket.destroy();
    await eventually(async () => expect((await third.call(get, {})).status).toBe(200));
  });

  it('counts the body of a refused caller for a second at most while connections are short', async () => {
    await open(16);
    const began = performance.now();
    const caller = await aCaller(headOf(get, { 'Transfer-Encoding': 'chunked' }), chunkOf('{'));
    expect(await statusOf(caller)).toBe(401);
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('needs credentials for each request of a connection', async () => {
    const caller = await aCaller(headOf(get, { ...tenant.headers, 'Content-Length': 11 }), '{"data":{}}');
    await caller.until(/200 OK/);
    await caller.write(headOf(get, { 'Transfer-Encoding': 'chunked' }));
    await open(2 * max);
    await eventually(() => caller.ended() || caller.failure() !== undefined);
  });
});
