import { Agent, request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { fetch } from 'undici';
import { defaultRequestLimits } from '../../../api/http/request-limits.ts';
import type { TestApi } from '../../support/api.ts';
import { eventually, repeatUntil } from '../../support/eventually.ts';
import { aTenant } from '../../support/factories.ts';
import {
  aRawCaller,
  headOf,
  responsesIn,
  type RawCaller,
  type RawResponse,
} from '../../support/raw-caller.ts';

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

/** The end of a refusal. */
const refusalEnd = /\r\n\r\n\{.*\}$/s;

/** Waits until the caller has received a refusal, or its connection has ended. */
async function refusalOf(caller: RawCaller): Promise<RawResponse | undefined> {
  const over = () => caller.failure() !== undefined || caller.ended();
  await eventually(() => over() || refusalEnd.test(caller.received()));
  return responsesIn(caller.received())[0];
}

/**
 * Runs rounds. Only a round that fails after the linger time is repeated: in it, a slow machine had not read the response
 * before the server closed the connection.
 */
async function inRounds(rounds: number, round: () => Promise<void>): Promise<void> {
  for (let done = 0; done < rounds; done += 1)
    await repeatUntil(async () => {
      const begun = performance.now();
      try {
        await round();
      } catch (error) {
        if (performance.now() - begun < defaultRequestLimits.linger.maxMs) throw error;
        return false;
      }
      return true;
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
      await inRounds(rounds, async () => {
        const caller = await aRawCaller(api.url);
        void caller.write(headOf(path, { ...headers, 'Content-Length': large.length }));
        void caller.write(large);
        const response = await refusalOf(caller);
        expect([response?.status, response?.headers['connection']]).toEqual([status, 'close']);
        expect(caller.failure()).toBeUndefined();
        caller.socket.destroy();
      });
    });

    it.each(refused)('receives its refusal through node:http: %s', async (_what, path, headers, status) => {
      await inRounds(rounds, async () => {
        expect(await byHttp(`${api.url}${path}`, headers, large)).toBe(status);
      });
    });

    it.each(refused)('receives its refusal through fetch: %s', async (_what, path, headers, status) => {
      await inRounds(rounds, async () => {
        const response = await fetch(`${api.url}${path}`, { method: 'POST', headers, body: large });
        expect(response.status).toBe(status);
        await response.text();
      });
    });
  });

  describe('a caller that sends 1 MiB with wrong credentials', () => {
    const body = large.subarray(0, mebibyte);

    it('receives its refusal through every client', async () => {
      await inRounds(rounds, async () => {
        expect(await byHttp(`${api.url}${get}`, wrong, body)).toBe(403);
        expect((await fetch(`${api.url}${get}`, { method: 'POST', headers: wrong, body })).status).toBe(403);
      });
    });

    it('can send the whole body before it reads', async () => {
      await inRounds(rounds, async () => {
        const caller = await aRawCaller(api.url);
        caller.socket.pause();
        await caller.write(headOf(get, { ...wrong, 'Content-Length': body.length }));
        await caller.write(body);
        caller.socket.resume();
        expect((await refusalOf(caller))?.status).toBe(403);
        await eventually(() => caller.ended() || caller.failure() !== undefined);
        expect(caller.failure()).toBeUndefined();
        caller.socket.destroy();
      });
    });
  });
}
