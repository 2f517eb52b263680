import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { createActivities } from '../../activities/index.ts';
import { entities } from '../../domain/entities.ts';
import { openDatabase, type Database } from '../../platform/database/open-database.ts';
import {
  deliveryQueue,
  dispatchQueue,
  workflowQueue,
  type DeliveryInput,
  type DispatchInput,
} from '../../workflows/contract.ts';
import { deliveryStartOf, dispatchStartOf } from '../../workflows/starts.ts';
import { workflowBundle } from '../../worker/workflow-bundle.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { activityDependencies } from '../support/dependencies.ts';
import type { TestTenant } from '../support/factories.ts';
import { responding, aReceiver, type Receiver } from '../support/receiver.ts';
import { aListeningTenant, anEndpoint, happened } from '../support/webhooks.ts';
import { statementNames } from '../support/pooler.ts';
import { quietRuntime } from './quiet-runtime.ts';

/*
 * Temporal's clock skips the sleeps of a workflow; PostgreSQL's does not. Before each turn the test therefore moves the
 * times of the messages into the past by the skipped time.
 */

const minute = 60_000;
const hour = 60 * minute;

let environment: TestWorkflowEnvironment;
let api: TestApi;
let opened: Database;
let stopWorkers: () => Promise<void>;
const receivers: Receiver[] = [];

beforeAll(async () => {
  quietRuntime();
  const path = process.env['TEST_TIME_SKIPPING_SERVER'] ?? '';
  environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  api = await startTestApi();
  opened = openDatabase({
    url: api.database.url,
    poolSize: 5,
    statementTimeoutMs: 10_000,
    plansOnce: false,
    statementNames,
    entities,
  });
  stopWorkers = await startWorkers();
});
afterAll(async () => {
  await stopWorkers();
  await environment.teardown();
  await opened.close();
  await api.close();
  await Promise.all(receivers.map(async (receiver) => receiver.close()));
});

/** Milliseconds by which Temporal's clock is ahead of PostgreSQL's. */
const skipped = async (): Promise<number> => (await environment.currentTimeMs()) - Date.now();

/** Milliseconds by which the messages of each endpoint were moved. */
const moved = new Map<string, number>();

async function moveIntoThePast(keyId: string): Promise<void> {
  const ahead = await skipped();
  const by = ahead - (moved.get(keyId) ?? ahead);
  moved.set(keyId, ahead);
  await api.database.sql(
    `update delivery set next_at = next_at - $2 * interval '1 millisecond', retry_at = retry_at - $2 * interval '1 millisecond'
     where api_key_id = (select id from api_key where public_id = $1)`,
    [keyId, by],
  );
}

async function startWorkers(): Promise<() => Promise<void>> {
  const dependencies = activityDependencies(api, opened.orm);
  const { dispatchEvents, deliverMessages } = createActivities(dependencies);
  const connection = environment.nativeConnection;
  const workers = await Promise.all([
    Worker.create({ connection, taskQueue: workflowQueue, workflowBundle: await workflowBundle(tmpdir()) }),
    Worker.create({ connection, taskQueue: dispatchQueue, activities: { dispatchEvents } }),
    Worker.create({
      connection,
      taskQueue: deliveryQueue,
      activities: {
        deliverMessages: async (endpoint: DeliveryInput) => {
          await moveIntoThePast(endpoint.keyId);
          return deliverMessages(endpoint);
        },
      },
    }),
  ]);
  const runs = workers.map(async (worker) => worker.run());
  return async () => {
    for (const worker of workers) worker.shutdown();
    await Promise.all(runs);
    await dependencies.outbound.close();
  };
}

async function dispatched(tenant: TestTenant): Promise<void> {
  const { workflowType, workflowId, taskQueue, input } = dispatchStartOf({ keyId: tenant.keyId });
  await environment.client.workflow.execute(workflowType, {
    workflowId,
    taskQueue,
    args: [input satisfies DispatchInput],
  });
}

describe('workflows that began before API keys had public ids', () => {
  it('dispatch and send waiting events', async () => {
    const tenant = await aListeningTenant(api);
    const receiver = await aReceiver();
    receivers.push(receiver);
    const endpointId = await anEndpoint(api, tenant, receiver.url);
    await happened(api, tenant, [{}]);
    const former = { tenantId: tenant.id };
    const started = [
      [dispatchStartOf({ keyId: tenant.id }), former],
      [deliveryStartOf({ keyId: tenant.id, endpointId }), { ...former, endpointId }],
    ] as const;
    for (const [{ workflowType, workflowId, taskQueue }, input] of started)
      await environment.client.workflow.execute(workflowType, { workflowId, taskQueue, args: [input] });
    expect(receiver.delivered).toHaveLength(1);
  });
});

describe('the retry schedule', () => {
  it('makes eight attempts in 27 hours 35 minutes, within 10 % of each delay, and then ends', async () => {
    const tenant = await aListeningTenant(api);
    const receiver = await aReceiver();
    receivers.push(receiver);
    const endpoint = await anEndpoint(api, tenant, receiver.url);
    const times: number[] = [];
    receiver.behave((delivered, response) => {
      void environment.currentTimeMs().then((at) => {
        times.push(at);
        responding(503)(delivered, response);
      });
    });
    await happened(api, tenant, [{}]);
    await dispatched(tenant);
    const { workflowType, workflowId, taskQueue, input } = deliveryStartOf({
      keyId: tenant.keyId,
      endpointId: endpoint,
    });
    await environment.client.workflow.execute(workflowType, { workflowId, taskQueue, args: [input] });
    const waits = times.slice(1).map((at, location) => at - (times[location] ?? 0));
    const planned = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];
    expect(waits).toHaveLength(planned.length);
    for (const [location, wait] of planned.entries()) {
      expect(waits[location]).toBeGreaterThanOrEqual(wait * 0.9 - 500);
      // A turn runs shortly after its due time, and later on a slow machine.
      expect(waits[location]).toBeLessThanOrEqual(wait * 1.1 + 60_000);
    }
    expect(receiver.ids().size).toBe(1);
    expect(
      await api.database.sql('select status, status_reason, attempts from delivery where api_key_id = $1', [
        tenant.id,
      ]),
    ).toEqual([{ status: 2, status_reason: 'The endpoint responded with 503.', attempts: 8 }]);
  });
});
