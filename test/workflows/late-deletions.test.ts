import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { createActivities } from '../../activities/index.ts';
import { readConfiguration } from '../../platform/config/read-configuration.ts';
import { entities } from '../../domain/entities.ts';
import { openDatabase } from '../../platform/database/open-database.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import { startWorker } from '../../worker/start-worker.ts';
import { databaseQueue, deletionQueue, workflowQueue } from '../../workflows/contract.ts';
import { workflowStartOf } from '../../workflows/starts.ts';
import { deletionKind, startableJob } from '../../domain/jobs/job-kinds.ts';
import { workflowBundle } from '../../worker/workflow-bundle.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { activityDependencies } from '../support/dependencies.ts';
import { serverEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import type { TestTenant } from '../support/factories.ts';
import { statementNames } from '../support/pooler.ts';
import { aPreparedTenant, deleteData, deletionOf } from './deletions.ts';
import { aClosableProxy } from './closable-proxy.ts';
import { quietRuntime } from './quiet-runtime.ts';

let environment: TestWorkflowEnvironment;
let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  quietRuntime();
  const path = process.env['TEST_TIME_SKIPPING_SERVER'] ?? '';
  environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  // This API cannot reach Temporal: only the test starts jobs.
  api = await startTestApi();
  tenant = await aPreparedTenant(api);
});
afterAll(async () => {
  await environment.teardown();
  await api.close();
});

const lateEvents = async (jobId: string): Promise<number> =>
  (
    await api.database.sql(
      `select 1 from event where type = 'user.data_deletion_late' and payload ->> 'jobId' = $1`,
      [jobId],
    )
  ).length;

describe('a deletion that has not ended after 12 hours', () => {
  it('is reported once by its workflow’s timer, and still completes', async () => {
    const jobId = await deleteData(tenant, { userIds: ['ada'] });
    await api.database.sql(
      `update user_data_deletion set created_at = created_at - interval '11 hours 30 minutes' where public_id = $1`,
      [jobId],
    );
    const url = new URL(api.database.url);
    // The deleting activities cannot reach the database; the reporting one can.
    const postgres = await aClosableProxy(url.host);
    url.host = postgres.address;
    const options = { poolSize: 2, statementTimeoutMs: 10_000, plansOnce: false, entities, statementNames };
    const cutOff = openDatabase({ url: url.href, ...options });
    const connection = environment.nativeConnection;
    const workers = await Promise.all([
      Worker.create({ connection, taskQueue: workflowQueue, workflowBundle: await workflowBundle(tmpdir()) }),
      ...(
        [
          [databaseQueue, api.orm],
          [deletionQueue, cutOff.orm],
        ] as const
      ).map(async ([taskQueue, orm]) =>
        Worker.create({
          connection,
          taskQueue,
          activities: createActivities(activityDependencies(api, orm)),
        }),
      ),
    ]);
    const runs = workers.map((worker) => worker.run());
    try {
      const { workflowType, workflowId, taskQueue, input } = workflowStartOf(
        startableJob(deletionKind, { jobId, keyId: tenant.keyId, organizationId: null, requestId: null }),
      );
      const start = { workflowId, taskQueue, args: [input] };
      const workflow = await environment.client.workflow.start(workflowType, start);
      await eventually(async () => (await deletionOf(tenant, jobId)).status === 'in_progress');
      await environment.sleep('20 minutes');
      expect((await deletionOf(tenant, jobId)).late).toBe(false);
      await environment.sleep('15 minutes');
      await eventually(async () => (await deletionOf(tenant, jobId)).late);
      expect((await tenant.ok('/v2/jobs/get', { jobId })).data).toMatchObject({ late: true });
      postgres.open();
      await workflow.result();
      const ended = await deletionOf(tenant, jobId);
      expect(ended).toMatchObject({ status: 'completed', verified: true, late: true });
      expect(await lateEvents(jobId)).toBe(1);
    } finally {
      for (const worker of workers) worker.shutdown();
      await Promise.all(runs);
      await cutOff.close();
      await postgres.end();
    }
  });

  it('is reported once by the workers during an outage of Temporal, with any number of workers', async () => {
    const [late, dry, young] = [
      await deleteData(tenant, { userIds: ['ada'] }),
      await deleteData(tenant, { userIds: ['ada'], dryRun: true }),
      await deleteData(tenant, { userIds: ['ada'] }),
    ];
    await api.database.sql(
      `update job set created_at = created_at - interval '12 hours' where public_id = any($1)`,
      [[late, dry]],
    );
    const log: string[] = [];
    const logger = createLogger({ level: 'error', format: 'json', name: 'worker' }, (line) => log.push(line));
    const configuration = readConfiguration(serverEnvironment(api.database.url), 'worker');
    const workers = await Promise.all([1, 2].map(async () => startWorker(configuration, logger)));
    await eventually(async () => (await deletionOf(tenant, late)).late);
    await Promise.all(workers.map((worker) => worker.close()));
    expect(await lateEvents(late)).toBe(1);
    expect(log.filter((line) => line.includes('user-data-deletion-late'))).toHaveLength(1);
    for (const other of [dry, young]) {
      expect((await deletionOf(tenant, other)).late).toBe(false);
      expect(await lateEvents(other)).toBe(0);
    }
  });
});
