import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addActivities, activities } from '../support/factories.ts';
import { anAttackedApi, expectHarmless, type AttackedApi } from './attacked-api.ts';
import { post, unreadConnections } from './sockets.ts';

const kibibyte = 1_024;
const mebibyte = 1_024 * kibibyte;
/** Of 250 KiB each: 244 MB together. */
const recordCount = 975;
const recordsPerCall = 39;
/** A page of 28 such records has 7 MB. */
const sevenMegabytes = 28;
const attackers = 200;
const callsMeanwhile = 100;

let target: AttackedApi;

beforeAll(async () => {
  target = await anAttackedApi();
  const { attacker, document } = target;
  const [record] = activities(1, { entityData: 'x'.repeat(250 * kibibyte) });
  for (let added = 0; added < recordCount; added += recordsPerCall)
    await addActivities(
      attacker,
      document,
      Array.from({ length: recordsPerCall }, () => record ?? {}),
    );
}, 300_000);
afterAll(() => target.close());

const readOf = (pageSize: number): Buffer =>
  post(
    '/v2/activities/get',
    target.attacker.headers,
    JSON.stringify({ data: { ...target.document, pageSize } }),
  );

describe('an API that is asked for more than it can hold', () => {
  it('returns 244 MB in pages of at most 10 MiB, to three readers at once', async () => {
    const { attacker, document } = target;
    const readAll = async (): Promise<number> => {
      let found = 0;
      let pageToken: string | undefined;
      do {
        const { status, text, body } = await attacker.call('/v2/activities/get', {
          ...document,
          pageSize: 1_000,
          ...(pageToken !== undefined && { pageToken }),
        });
        if (status === 503) continue;
        expect(status).toBe(200);
        expect(Buffer.byteLength(text)).toBeLessThan(10 * mebibyte + 64 * kibibyte);
        found += (body.result?.data as unknown[] | undefined)?.length ?? 0;
        pageToken = body.result?.nextPageToken;
      } while (pageToken !== undefined);
      return found;
    };
    const damage = await target.attack('three readers of 244 MB', async () => {
      const found = await Promise.all([readAll(), readAll(), readAll()]);
      expect(found).toEqual([recordCount, recordCount, recordCount]);
    });
    expectHarmless(damage);
  }, 300_000);

  it('survives 200 pipelined reads of 7 MB on one connection that reads nothing', async () => {
    const pipelined = Buffer.concat(Array.from({ length: attackers }, () => readOf(sevenMegabytes)));
    const damage = await target.attack('200 pipelined reads', async (neighborServed) => {
      const connections = await unreadConnections(target.process.url, 1, pipelined);
      await neighborServed(callsMeanwhile);
      connections.close();
    });
    expectHarmless(damage);
  }, 300_000);

  it('survives 200 connections that read nothing of 7 MB each', async () => {
    const damage = await target.attack('200 unread connections', async (neighborServed) => {
      const connections = await unreadConnections(target.process.url, attackers, readOf(sevenMegabytes));
      await neighborServed(callsMeanwhile);
      connections.close();
    });
    expectHarmless(damage);
  }, 300_000);
});
