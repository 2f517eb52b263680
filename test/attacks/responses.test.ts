import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addActivityLogs, activities } from '../support/factories.ts';
import { inFull } from '../support/tier.ts';
import { anAttackedApi, expectHarmless, type AttackedApi } from './attacked-api.ts';
import { readToTheEnd } from './read-to-the-end.ts';
import { post, unreadConnections } from './sockets.ts';

const kibibyte = 1_024;
/** Records of 250 KiB each: 15 MB together, more than a page. */
const recordCount = 60;
const recordsPerCall = 30;
/** A page of 28 such records has 7 MB. */
const sevenMegabytes = 28;
const attackers = inFull ? 200 : 60;
const callsMeanwhile = inFull ? 100 : 30;

let target: AttackedApi;

beforeAll(async () => {
  target = await anAttackedApi();
  const { attacker, document } = target;
  const [record] = activities(1, { entityData: 'x'.repeat(250 * kibibyte) });
  for (let added = 0; added < recordCount; added += recordsPerCall)
    await addActivityLogs(
      attacker,
      document,
      Array.from({ length: recordsPerCall }, () => record ?? {}),
    );
});
afterAll(() => target.close());

const readOf = (pageSize: number): Buffer =>
  post(
    '/v2/activities/get',
    target.attacker.headers,
    JSON.stringify({ data: { ...target.document, pageSize } }),
  );

describe('an API with more response data than memory', () => {
  it('returns 15 MB in pages of max 10 MiB to three concurrent readers', async () => {
    const { attacker, document } = target;
    const damage = await target.attack('three readers of 15 MB', async () => {
      const found = await Promise.all([1, 2, 3].map(() => readToTheEnd(attacker, document)));
      expect(found).toEqual([recordCount, recordCount, recordCount]);
    });
    expectHarmless(damage);
  });

  it(`survives ${attackers} pipelined requests for 7 MB on one connection that reads no response`, async () => {
    const pipelined = Buffer.concat(Array.from({ length: attackers }, () => readOf(sevenMegabytes)));
    const damage = await target.attack(`${attackers} pipelined reads`, async (neighborServed) => {
      const connections = await unreadConnections(target.process.url, 1, pipelined);
      await neighborServed(callsMeanwhile);
      connections.close();
    });
    expectHarmless(damage);
  });

  it(`survives ${attackers} connections that do not read their 7 MB responses`, async () => {
    const damage = await target.attack(`${attackers} unread connections`, async (neighborServed) => {
      const connections = await unreadConnections(target.process.url, attackers, readOf(sevenMegabytes));
      await neighborServed(callsMeanwhile);
      connections.close();
    });
    expectHarmless(damage);
  });
});
