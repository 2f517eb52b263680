import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { inFull } from '../support/tier.ts';
import { anAttackedApi, expectHarmless, type AttackedApi } from './attacked-api.ts';
import { post, unreadConnections } from './sockets.ts';

const mebibyte = 1_048_576;
const declared = 10 * mebibyte;
const idleConnections = 300;
/** Bytes that are sent of each body. */
const sentBytes = 2 * mebibyte;
const callsMeanwhile = inFull ? 100 : 30;

let target: AttackedApi;

const credentials = {
  'no credentials': () => ({}),
  'wrong credentials': () => ({ ...target.attacker.headers, 'x-svc-auth-token': 'wrong' }),
  'right credentials': () => target.attacker.headers,
} as const;

/** Tests that these bodies harm no other caller, for each kind of credentials. */
export function testBodies(kinds: readonly (keyof typeof credentials)[]): void {
  beforeAll(async () => {
    target = await anAttackedApi();
  });
  afterAll(() => target.close());

  describe.each(kinds)('300 connections with %s', (title) => {
    const headersOf = credentials[title];

    it('that stop in the middle of a body of 10 MiB do not block other callers', async () => {
      const bytes = post('/v2/activities/add', headersOf(), Buffer.alloc(sentBytes, ' '), declared);
      const damage = await target.attack(`bodies that never end, ${title}`, async (neighborServed) => {
        const connections = await unreadConnections(target.process.url, idleConnections, bytes);
        await neighborServed(callsMeanwhile);
        connections.close();
      });
      expectHarmless(damage);
    });

    it('that send endless chunks do not block other callers', async () => {
      const chunk = Buffer.concat([
        Buffer.from(`${sentBytes.toString(16)}\r\n`),
        Buffer.alloc(sentBytes, ' '),
        Buffer.from('\r\n'),
      ]);
      const head = post('/v2/activities/add', { ...headersOf(), 'transfer-encoding': 'chunked' }, '', -1);
      const bytes = Buffer.concat([head, chunk]);
      const damage = await target.attack(`chunks that never end, ${title}`, async (neighborServed) => {
        const connections = await unreadConnections(target.process.url, idleConnections, bytes);
        await neighborServed(callsMeanwhile);
        connections.close();
      });
      expectHarmless(damage);
    });
  });
}
