import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { createActivities } from '../../activities/index.ts';
import { entities } from '../../domain/entities.ts';
import { openDatabase, type Database } from '../../platform/database/open-database.ts';
import { databaseQueue, workflowQueue } from '../../workflows/contract.ts';
import { workflowStartOf } from '../../workflows/starts.ts';
import { migrationKind, startableJob } from '../../domain/jobs/job-kinds.ts';
import { workflowBundle } from '../../worker/workflow-bundle.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { activityDependencies } from '../support/dependencies.ts';
import { eventually } from '../support/eventually.ts';
import { aDocument, aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { statementNames } from '../support/pooler.ts';
import { aClosableProxy, type ClosableProxy } from './closable-proxy.ts';
import { migrate, statusOf } from './migrations.ts';
import { quietRuntime } from './quiet-runtime.ts';

let environment: TestWorkflowEnvironment;
let api: TestApi;
let tenant: TestTenant;
let opened: Database;
let postgres: ClosableProxy;
let stopWorkers: () => Promise<void>;

beforeAll(async () => {
  quietRuntime();
  const path = process.env['TEST_TIME_SKIPPING_SERVER'] ?? '';
  environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  api = await startTestApi();
  tenant = await aTenant(api);
  const url = new URL(api.database.url);
  postgres = await aClosableProxy(url.host);
  url.host = postgres.address;
  opened = openDatabase({
    url: url.href,
    poolSize: 5,
    statementTimeoutMs: 10_000,
    plansOnce: false,
    entities,
    statementNames,
  });
  stopWorkers = await startWorkers();
});
afterAll(async () => {
  postgres.open();
  await stopWorkers();
  await environment.teardown();
  await opened.close();
  await postgres.end();
  await api.close();
});

async function startWorkers(): Promise<() => Promise<void>> {
  const activities = createActivities(activityDependencies(api, opened.orm));
  const connection = environment.nativeConnection;
  const workers = await Promise.all([
    Worker.create({ connection, taskQueue: workflowQueue, workflowBundle: await workflowBundle(tmpdir()) }),
    Worker.create({ connection, taskQueue: databaseQueue, activities }),
  ]);
  const runs = workers.map((worker) => worker.run());
  return async () => {
    for (const worker of workers) worker.shutdown();
    await Promise.all(runs);
  };
}

/** Starts the workflow of an accepted migration. */
async function started(jobId: string) {
  const { workflowType, workflowId, taskQueue, input } = workflowStartOf(
    startableJob(migrationKind, { jobId, keyId: tenant.keyId, organizationId: null, requestId: null }),
  );
  return environment.client.workflow.start(workflowType, { workflowId, taskQueue, args: [input] });
}

describe('a migration whose database is down for hours', () => {
  it('stays pending, retries without a limit on attempts, and completes after the outage', async () => {
    const document = await aDocument(tenant);
    const migrationId = await migrate(tenant, document, freshId('moved'));
    postgres.close();
    const workflow = await started(migrationId);
    await environment.sleep('3 hours');
    expect(await statusOf(tenant, document, migrationId)).toMatchObject({ status: 'pending' });
    expect(postgres.refused()).toBeGreaterThan(100);
    postgres.open();
    await workflow.result();
    expect(await statusOf(tenant, document, migrationId)).toMatchObject({
      status: 'completed',
      verified: true,
    });
  });

  it('has no error text of the database in its history', async () => {
    const document = await aDocument(tenant);
    const migrationId = await migrate(tenant, document, freshId('moved'));
    postgres.close();
    const workflow = await started(migrationId);
    const failure = await eventually(async () => {
      const { raw } = await workflow.describe();
      return raw.pendingActivities?.[0]?.lastFailure ?? false;
    });
    expect(failure).toMatchObject({ message: expect.stringMatching(/^Database failure: unavailable/) });
    expect(JSON.stringify(failure)).not.toContain('127.0.0.1');
    postgres.open();
    await workflow.result();
  });
});

describe('a job without a row', () => {
  it('is retried for 30 seconds, then fails', async () => {
    const workflow = await started('job_unknown');
    await expect(workflow.result()).rejects.toMatchObject({
      cause: { cause: { type: 'NOT_FOUND', message: 'Missing row for job.' } },
    });
  });
});
