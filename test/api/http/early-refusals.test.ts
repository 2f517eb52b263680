import { Agent, request } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import { fetch } from 'undici';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { aTenant } from '../../support/factories.ts';
import { aRawCaller, headOf, responsesIn } from '../../support/raw-caller.ts';

const mebibyte = 1_048_576;
const get = '/v2/organizations/get';
const add = '/v2/organizations/add';
const api = await startTestApi();
afterAll(api.close);
const tenant = await aTenant(api);
const wrong = { ...tenant.headers, 'x-svc-auth-token': 'wrong' };
const large = Buffer.alloc(20 * mebibyte, 'a');

/** Of each of nine ways: 200 in all. */
const rounds = 22;

const refused = [
  ['unknown path', '/nowhere', tenant.headers, 404],
  ['body too large', get, tenant.headers, 413],
  ['a page that takes no body', '/readyz', {}, 405],
] as const;

/** By Node's own client; resolves with the status, rejects as a caller would see it. */
async function byHttp(path: string, headers: object, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${api.url}${path}`, {
      method: 'POST',
      agent: new Agent(),
      headers: { ...headers, 'content-length': body.length },
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.end(body);
  });
}

describe('a caller that is still sending 20 MiB', () => {
  it.each(refused)('by sockets sees its refusal: %s', async (_what, path, headers, status) => {
    for (let round = 0; round < rounds; round += 1) {
      const caller = await aRawCaller(api.url);
      void caller.write(headOf(path, { ...headers, 'Content-Length': large.length }));
      void caller.write(large);
      const [response] = responsesIn(await caller.until(/\r\n\r\n\{.*\}$/s));
      expect([response?.status, response?.headers['connection']]).toEqual([status, 'close']);
      expect(caller.failure()).toBeUndefined();
      caller.socket.destroy();
    }
  });

  it.each(refused)('by node:http sees its refusal: %s', async (_what, path, headers, status) => {
    for (let round = 0; round < rounds; round += 1) expect(await byHttp(path, headers, large)).toBe(status);
  });

  it.each(refused)('by fetch sees its refusal: %s', async (_what, path, headers, status) => {
    for (let round = 0; round < rounds; round += 1) {
      const response = await fetch(`${api.url}${path}`, { method: 'POST', headers, body: large });
      expect(response.status).toBe(status);
      await response.text();
    }
  });
});

describe('a caller that sends 1 MiB with wrong credentials', () => {
  const body = large.subarray(0, mebibyte);

  it('sees its refusal however it sends', async () => {
    for (let round = 0; round < rounds; round += 1) {
      expect(await byHttp(get, wrong, body)).toBe(403);
      expect((await fetch(`${api.url}${get}`, { method: 'POST', headers: wrong, body })).status).toBe(403);
    }
  });

  it('may write the whole of it before it reads', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const caller = await aRawCaller(api.url);
      caller.socket.pause();
      await caller.write(headOf(get, { ...wrong, 'Content-Length': body.length }));
      await caller.write(body);
      caller.socket.resume();
      await caller.until(/\r\n\r\n\{.*\}$/s);
      await eventually(() => caller.ended());
      expect(caller.failure()).toBeUndefined();
      caller.socket.destroy();
    }
  });
});

describe('the connection of an early refusal', () => {
  it('is ended by our half first, and closed while its caller goes on', async () => {
    const brief = await startTestApi({
      database: api.database,
      limits: { linger: { maxBytes: mebibyte, maxMs: 100 } },
    });
    try {
      const caller = await aRawCaller(brief.url);
      caller.socket.allowHalfOpen = true;
      await caller.write(headOf(get, { 'Content-Length': 100 * mebibyte }));
      await eventually(() => caller.ended());
      expect(caller.received()).toMatch(/^HTTP\/1.1 413 /);
      const flood = setInterval(() => caller.socket.write(large.subarray(0, 65_536)), 1);
      await eventually(() => caller.socket.destroyed);
      clearInterval(flood);
      // What the system's own buffers took, beside what was discarded.
      expect(caller.socket.bytesWritten).toBeLessThan(50 * mebibyte);
    } finally {
      await brief.close();
    }
  });

  it('carries out no request behind the refused body', async () => {
    const tooLarge = headOf(add, { ...tenant.headers, 'Content-Length': mebibyte + 1 });
    const body = JSON.stringify({ data: { organizations: [{ organizationId: 'behind' }] } });
    const behind = `${headOf(add, { ...tenant.headers, 'Content-Length': body.length })}${body}`;
    const caller = await aRawCaller(api.url);
    await caller.write(tooLarge);
    await caller.write(large.subarray(0, mebibyte + 1));
    await caller.write(behind);
    await eventually(() => caller.ended());
    expect(responsesIn(caller.received()).map(({ status }) => status)).toEqual([413]);
    expect((await tenant.ok<unknown[]>(get, {})).data).toEqual([]);
    caller.socket.destroy();
  });

  it('stays usable where the rest is small and follows, and ends where it does not', async () => {
    const brief = await startTestApi({
      database: api.database,
      limits: { linger: { maxBytes: mebibyte, maxMs: 500 } },
    });
    try {
      const body = '{"data":{}}';
      const caller = await aRawCaller(brief.url);
      await caller.write(headOf(get, { ...wrong, 'Content-Length': body.length }));
      await caller.until(/\r\n\r\n\{.*\}$/s);
      await caller.write(body);
      await caller.write(`${headOf(get, { ...tenant.headers, 'Content-Length': body.length })}${body}`);
      await caller.until(/200 OK/);
      expect(responsesIn(caller.received()).map(({ status }) => status)).toEqual([403, 200]);
      const idle = await aRawCaller(brief.url);
      await idle.write(headOf(get, { ...wrong, 'Content-Length': body.length }));
      await eventually(() => idle.ended());
      expect(responsesIn(idle.received()).map(({ status }) => status)).toEqual([403]);
      caller.socket.destroy();
      idle.socket.destroy();
    } finally {
      await brief.close();
    }
  });
});
