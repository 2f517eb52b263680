import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Dependencies } from '../../activities/dependencies.ts';
import { startWaitingJobs } from '../../activities/start-waiting-jobs.ts';
import { makeOpenJobsDue } from '../../domain/job-handlers/due-jobs.ts';
import { startTestApi } from '../support/api.ts';
import { activityDependencies } from '../support/dependencies.ts';
import { aTenant, freshId, type TestTenant } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await aTenant(api);
  await api.database.sql('delete from job');
  await insertJobs(Array.from({ length: 60 }, () => freshId('job')));
});

const insertJobs = async (ids: readonly string[]) =>
  api.database.sql(
    `insert into job (api_key_id, public_id, kind, status, request, next_sweep_at)
     select $1, id, 4, 0, '{"organizations":[],"folders":[],"documents":[]}', now() - interval '1 second' from unnest($2::text[]) as t (id)`,
    [tenant.id, ids],
  );

/** Returns the times at which jobs are checked again. */
const checkTimes = async () => api.database.sql('select id, next_sweep_at::text as at from job order by id');

/** Expects that jobs are checked again this many seconds after moments of `act`, however long it takes. */
async function expectChecks(seconds: number, act: () => Promise<unknown>): Promise<void> {
  const [before] = await api.database.sql<{ at: string }>('select clock_timestamp()::text as at');
  await act();
  const [after] = await api.database.sql<{ first: number; last: number }>(
    `select extract(epoch from min(next_sweep_at) - $1::timestamptz)::float8 as first,
       extract(epoch from max(next_sweep_at) - clock_timestamp())::float8 as last from job`,
    [before?.at],
  );
  expect(after?.first).toBeGreaterThanOrEqual(seconds);
  expect(after?.last).toBeLessThanOrEqual(seconds);
}

const sweep = async (startWorkflow: () => Promise<void>, others: Partial<Dependencies> = {}): Promise<void> =>
  await new MockActivityEnvironment().run(
    startWaitingJobs(activityDependencies(api, api.orm, { startWorkflow, ...others })),
    {},
  );

/** Runs a turn. Runs others for the jobs left by one that exceeded its time, 8 s, as on a slow machine. */
async function sweepAll(startWorkflow: () => Promise<void>): Promise<void> {
  for (;;) {
    const began = performance.now();
    await sweep(startWorkflow);
    const due = await api.database.sql('select from job where next_sweep_at <= now()');
    if (due.length === 0 || performance.now() - began < 8_000) return;
  }
}

describe('a turn of the sweep', () => {
  it('starts the workflow of every waiting job, 20 at a time', async () => {
    let [started, running, maxRunning] = [0, 0, 0];
    await sweep(async () => {
      started += 1;
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await turn();
      running -= 1;
    });
    expect([started, maxRunning]).toEqual([60, 20]);
  });

  it('starts 450 waiting jobs at once, and checks running ones again after a minute', async () => {
    await insertJobs(Array.from({ length: 390 }, () => freshId('job')));
    let started = 0;
    await expectChecks(60, async () => sweepAll(async () => void (started += 1)));
    expect(started).toBe(450);
  });

  it('checks 3,000 running jobs at 15 a second', async () => {
    await insertJobs(Array.from({ length: 2_940 }, () => freshId('job')));
    await expectChecks(200, async () => sweepAll(async () => undefined));
  });

  it('finds every job due after Temporal has lost its data', async () => {
    await expectChecks(60, async () => sweep(async () => undefined));
    await expectChecks(0, async () => makeOpenJobsDue(api.orm.em.fork()));
  });

  it('claims no job while jobs are paused', async () => {
    const before = await checkTimes();
    await sweep(async () => Promise.reject(new Error('A job was started.')), { paused: new Set(['jobs']) });
    expect(await checkTimes()).toEqual(before);
  });

  it('starts the other jobs when one fails, and skips jobs of a kind that only a later release knows', async () => {
    await api.database.sql(
      `update job set kind = 99 where id in (select id from job order by next_sweep_at, id limit 5)`,
    );
    let attempts = 0;
    const failing = async (): Promise<void> => {
      attempts += 1;
      if (attempts === 1) throw new Error('One start failed.');
      return Promise.resolve();
    };
    await expect(sweep(failing)).rejects.toThrow('One start failed.');
    expect(attempts).toBe(55);
  });

  it('starts no further workflow after 20 failures in a row', async () => {
    let started = 0;
    const failing = async (): Promise<void> => {
      started += 1;
      await turn();
      throw new Error('Temporal is away.');
    };
    await expect(sweep(failing)).rejects.toHaveProperty('errors.0.message', 'Temporal is away.');
    for (let waited = 0; waited < 100; waited += 1) await turn();
    expect(started).toBeLessThanOrEqual(40);
  });
});
