import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { activities, calledThrough } from '../support/factories.ts';
import { anAttackedApi, expectHarmless, type AttackedApi } from './attacked-api.ts';
import { sustained } from './scenes/sustained.ts';

const stage = sustained(true);
let target: AttackedApi;

beforeAll(async () => {
  target = await anAttackedApi();
  await stage.prepare?.(target);
});
afterAll(() => target.close());

describe('a sustained attack', () => {
  it.each(stage.scenes)('of $title does not block other callers', async (scene) => {
    expectHarmless(await target.play(scene));
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
