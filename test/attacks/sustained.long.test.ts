import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { activities, addActivityLogs, aDocument, calledThrough } from '../support/factories.ts';
import { anAttackedApi, expectHarmless, resident, type AttackedApi } from './attacked-api.ts';
import { readToTheEnd } from './read-to-the-end.ts';
import { post, unreadConnections } from './sockets.ts';

const kibibyte = 1_024;
const largeRecord = 250 * kibibyte;
const recordsPerCall = 39;
/** Number of sequential calls, whose records have 244 MB together. */
const callsOfRecords = 25;
/** Number of sequential bodies of 10 MiB on each connection. */
const writesPerConnection = 20;
const connections = 3;
const readsPerCaller = 5;
/** A call takes 0.1 s while the API is idle, and longer otherwise: about a minute in total. */
const callsUntilQuiet = 1_500;

let target: AttackedApi;

beforeAll(async () => {
  target = await anAttackedApi();
});
afterAll(() => target.close());

const largeActivities = (): object[] => activities(recordsPerCall, { entityData: 'x'.repeat(largeRecord) });

describe('a sustained attack', () => {
  it('with successive bodies of 10 MiB does not block other callers, and the API releases the memory afterwards', async () => {
    const damage = await target.attack('bodies of 10 MiB back to back', async (neighborServed) => {
      const write = async (): Promise<void> => {
        for (let sent = 0; sent < writesPerConnection; sent += 1)
          await addActivityLogs(target.attacker, target.document, largeActivities()).catch(passRefused);
      };
      await Promise.all(Array.from({ length: connections }, write));
      const atTheEnd = await resident(target.process.pid);
      await neighborServed(callsUntilQuiet);
      const later = await resident(target.process.pid);
      process.stderr.write(
        `  resident ${String(atTheEnd)} MiB at the end of the burst, ${String(later)} MiB later\n`,
      );
    });
    expectHarmless(damage);
  });

  it('by three readers of 244 MB receives all of it in pages of max 10 MiB', async () => {
    const document = await aDocument(target.attacker);
    for (let added = 0; added < callsOfRecords; added += 1)
      await addActivityLogs(target.attacker, document, largeActivities());
    const damage = await target.attack('three readers of 244 MB', async () => {
      const found = await Promise.all([1, 2, 3].map(() => readToTheEnd(target.attacker, document)));
      expect(found).toEqual([1, 2, 3].map(() => callsOfRecords * recordsPerCall));
    });
    expectHarmless(damage);
  });

  it('by 20 concurrent readers of 10 MiB pages does not block other callers', async () => {
    await addActivityLogs(target.attacker, target.document, largeActivities());
    const damage = await target.attack('20 callers of 10 MiB', async () => {
      const read = async (): Promise<number[]> => {
        const statuses: number[] = [];
        while (statuses.length < readsPerCaller)
          statuses.push((await target.attacker.call('/v2/activities/get', target.document)).status);
        return statuses;
      };
      const statuses = (await Promise.all(Array.from({ length: 20 }, read))).flat();
      expect(statuses.filter((status) => ![200, 503].includes(status))).toEqual([]);
      expect(statuses).toContain(200);
    });
    expectHarmless(damage);
  });

  it('by connections that read nothing ends when the API destroys them', async () => {
    await addActivityLogs(target.attacker, target.document, largeActivities());
    const read = post(
      '/v2/activities/get',
      target.attacker.headers,
      JSON.stringify({ data: { ...target.document, pageSize: 28 } }),
    );
    const damage = await target.attack('connections that accept nothing, to their end', async () => {
      const held = await unreadConnections(target.process.url, 100, read);
      await eventually(() => held.countOpen() === 0);
    });
    expectHarmless(damage);
  });

  it('that stalls the process for 35 s ends running calls without partial writes', async () => {
    const { beside, attacker, document, process: attacked } = target;
    const calls = Array.from({ length: 20 }, () =>
      attacker.call('/v2/activities/add', { ...document, activities: activities(500) }),
    );
    await eventually(async () => {
      const [busy] = await beside.database.sql<{ count: string }>(
        `select count(*) from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
      );
      return Number(busy?.count) > 0;
    });
    process.kill(attacked.pid, 'SIGSTOP');
    const stalledUntil = Date.now() + 35_000;
    await eventually(() => Date.now() > stalledUntil);
    process.kill(attacked.pid, 'SIGCONT');
    const resumed = performance.now();
    await eventually(() =>
      calledThrough(attacked, attacker).ok('/v2/activities/get', { ...document, pageSize: 1 }),
    );
    process.stderr.write(`  served ${(performance.now() - resumed).toFixed(0)} ms after a stall of 35 s\n`);
    const outcomes = await Promise.all(calls);
    const written = outcomes.filter(({ status }) => status === 200).length;
    // 408: the body was still arriving.
    const ends = new Set([200, 408, 503]);
    expect(outcomes.map(({ status }) => status).filter((status) => !ends.has(status))).toEqual([]);
    const [found] = await beside.database.sql<{ count: string }>(
      `select count(*) from activity where action_type = 'test.happened' and octet_length(body::text) < 10000`,
    );
    // Every call is complete. One that was committing may have succeeded without a response.
    expect(Number(found?.count) % 500).toBe(0);
    expect(Number(found?.count)).toBeGreaterThanOrEqual(written * 500);
  });
});

/** A write that waits too long is refused, which protects other callers. */
function passRefused(error: unknown): void {
  if (!String(error).includes('503') && !String(error).includes('UNAVAILABLE')) throw error;
}
