import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Dependencies } from '../../activities/dependencies.ts';
import { wakeWaitingWebhooks } from '../../activities/wake-waiting-webhooks.ts';
import { startTestApi } from '../support/api.ts';
import { activityDependencies } from '../support/dependencies.ts';
import { freshId, type TestTenant } from '../support/factories.ts';
import { aListeningTenant, anEndpoint, happened } from '../support/webhooks.ts';

const api = await startTestApi();
afterAll(api.close);

const endpoints = 1_200;

const tenants: TestTenant[] = [];

/** Two keys with an old event in the outbox, one of them with 1,200 endpoints that have an overdue message. */
beforeAll(async () => {
  tenants.push(await aListeningTenant(api), await aListeningTenant(api));
  for (const tenant of tenants) {
    await anEndpoint(api, tenant, 'http://127.0.0.1:1');
    await happened(api, tenant, [{}]);
  }
  await api.database.sql(`update outbox set event_at = event_at - interval '11 seconds'`);
  await withEndpoints(endpoints, '-1 minute');
});

/** Adds endpoints with a message that is due after an interval. */
const withEndpoints = async (count: number, due: string): Promise<unknown> =>
  api.database.sql(
    `with made as (
       insert into webhook_endpoint (api_key_id, public_id, kind, url)
       select $1, id, 0, 'http://127.0.0.1:1' from unnest($2::text[]) t (id) returning id)
     insert into delivery (event_at, event_id, api_key_id, endpoint_id, sequence, retry_at, next_at)
     select e.at, e.id, $1, made.id, 1, now() + $3::interval, now() + $3::interval
     from made, event e where e.api_key_id = $1`,
    [tenants[0]?.id, Array.from({ length: count }, () => freshId('ep')), due],
  );

/** A function that runs the activity and returns the ids of the workflows that it woke. */
function aSweep(others: Partial<Dependencies> = {}, turnMs?: number) {
  let woken: string[] = [];
  const activity = wakeWaitingWebhooks(
    activityDependencies(api, api.orm, {
      wakeWorkflow: async ({ workflowId }) => void woken.push(workflowId),
      ...others,
    }),
    turnMs,
  );
  return async (): Promise<readonly string[]> => {
    woken = [];
    await new MockActivityEnvironment().run(activity, {});
    return woken;
  };
}

describe('the sweep of webhooks', () => {
  it('wakes every key with old events and every endpoint with overdue messages, each once a minute', async () => {
    const sweep = aSweep();
    const woken = await sweep();
    expect(new Set(woken).size).toBe(endpoints + 2);
    expect(woken).toHaveLength(endpoints + 2);
    expect(woken.filter((id) => id.startsWith('webhook-dispatch/'))).toHaveLength(2);
    expect(await sweep()).toEqual([]);
  });

  it('retries the wakes that Temporal refused', async () => {
    let refuses = true;
    const woken: string[] = [];
    const sweep = aSweep({
      wakeWorkflow: async ({ workflowId }) => {
        if (refuses) throw new Error('Temporal is away.');
        woken.push(workflowId);
      },
    });
    await expect(sweep()).rejects.toHaveProperty('errors.0.message', 'Temporal is away.');
    refuses = false;
    await sweep();
    expect(woken).toHaveLength(endpoints + 2);
  });

  it('wakes the other workflows when one fails', async () => {
    const woken: string[] = [];
    let fails = true;
    const sweep = aSweep({
      wakeWorkflow: async ({ workflowId }) => {
        if (fails) {
          fails = false;
          throw new Error('One signal failed.');
        }
        woken.push(workflowId);
      },
    });
    await expect(sweep()).rejects.toThrow('One signal failed.');
    expect(woken).toHaveLength(endpoints + 1);
  });

  it('wakes nothing while deliveries are paused', async () => {
    expect(await aSweep({ paused: new Set(['deliveries']) })()).toEqual([]);
  });
});

describe('sweeps that have time for one page each', () => {
  it('wake all workflows, also those of endpoints and senders behind many others', async () => {
    await api.database.sql(
      `insert into notice_window (user_id, channel, org_id, document_id, api_key_id, closes_at)
       values (1, 1, 1, 0, $1, now() - interval '1 minute')`,
      [tenants[1]?.id],
    );
    const sweep = aSweep({}, 0);
    const woken = new Set<string>();
    for (let sweeps = 0; sweeps < 100 && woken.size < endpoints + 3; sweeps += 1)
      for (const workflow of await sweep()) woken.add(workflow);
    expect(woken.size).toBe(endpoints + 3);
    expect([...woken].filter((id) => id.startsWith('notification-send/'))).toHaveLength(1);
  });

  it('fail while a search has not reached its end for 40 sweeps', async () => {
    await withEndpoints(3_000, '1 hour');
    const sweep = aSweep({}, 0);
    for (let sweeps = 1; sweeps < 40; sweeps += 1) await sweep();
    await expect(sweep()).rejects.toThrow('has not reached its end in 40 sweeps');
    for (let sweeps = 1; sweeps < 20; sweeps += 1) await sweep().catch(() => undefined);
    await sweep();
  });
});
