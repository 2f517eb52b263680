import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { startWaitingJobs } from '../../activities/start-waiting-jobs.ts';
import { startTestApi } from '../support/api.ts';
import { activityDependencies } from '../support/dependencies.ts';
import { aTenant, freshId } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

let jobs: string[];
beforeEach(async () => {
  const tenant = await aTenant(api);
  jobs = Array.from({ length: 60 }, () => freshId('job'));
  await api.database.sql('delete from job');
  await api.database.sql(
    `insert into job (api_key_id, public_id, kind, status, request, next_sweep_at)
     select $1, id, 4, 0, '{"organizations":[],"folders":[],"documents":[]}', now() - interval '1 second' from unnest($2::text[]) as t (id)`,
    [tenant.id, jobs],
  );
});

const sweep = async (startWorkflow: () => Promise<void>): Promise<void> =>
  await new MockActivityEnvironment().run(
    startWaitingJobs(activityDependencies(api, api.orm, { startWorkflow })),
    {},
  );

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

  it('starts no further workflow once a start has failed', async () => {
    let started = 0;
    const failing = async (): Promise<void> => {
      started += 1;
      await turn();
      throw new Error('Temporal is away.');
    };
    await expect(sweep(failing)).rejects.toThrow('Temporal is away.');
    for (let waited = 0; waited < 100; waited += 1) await turn();
    expect(started).toBeLessThanOrEqual(40);
  });
});
