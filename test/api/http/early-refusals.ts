import { Agent, request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { fetch } from 'undici';
import type { TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { aTenant } from '../../support/factories.ts';
import { aRawCaller, headOf, responsesIn } from '../../support/raw-caller.ts';

const mebibyte = 1_048_576;
const get = '/v2/organizations/get';
const large = Buffer.alloc(20 * mebibyte, 'a');

/** Sends through Node's HTTP client. Resolves with the status, or rejects with the client's error. */
async function byHttp(url: string, headers: object, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
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

/** Tests that callers receive their refusals, `rounds` times each. */
export async function testEarlyRefusals(api: TestApi, rounds: number): Promise<void> {
  const tenant = await aTenant(api);
  const wrong = { ...tenant.headers, 'x-svc-auth-token': 'wrong' };
  const refused = [
    ['unknown path', '/nowhere', tenant.headers, 404],
    ['body too large', get, tenant.headers, 413],
    ['a page that takes no body', '/readyz', {}, 405],
  ] as const;

  describe('a caller that is still sending 20 MiB', () => {
    it.each(refused)('receives its refusal through sockets: %s', async (_what, path, headers, status) => {
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

    it.each(refused)('receives its refusal through node:http: %s', async (_what, path, headers, status) => {
      for (let round = 0; round < rounds; round += 1)
        expect(await byHttp(`${api.url}${path}`, headers, large)).toBe(status);
    });

    it.each(refused)('receives its refusal through fetch: %s', async (_what, path, headers, status) => {
      for (let round = 0; round < rounds; round += 1) {
        const response = await fetch(`${api.url}${path}`, { method: 'POST', headers, body: large });
        expect(response.status).toBe(status);
        await response.text();
      }
    });
  });

  describe('a caller that sends 1 MiB with wrong credentials', () => {
    const body = large.subarray(0, mebibyte);

    it('receives its refusal through every client', async () => {
      for (let round = 0; round < rounds; round += 1) {
        expect(await byHttp(`${api.url}${get}`, wrong, body)).toBe(403);
        expect((await fetch(`${api.url}${get}`, { method: 'POST', headers: wrong, body })).status).toBe(403);
      }
    });

    it('can send the whole body before it reads', async () => {
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
}
