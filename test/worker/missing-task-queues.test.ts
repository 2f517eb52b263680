import { afterAll, describe, expect, it } from '@jest/globals';
import { Connection } from '@temporalio/client';
import type { WorkerDeployment } from '../../platform/temporal/worker-deployment.ts';
import { deliveryQueue } from '../../workflows/contract.ts';
import { runCommand } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { activities, aDocument, addActivityLogs, freshId, withActivityLogs } from '../support/factories.ts';
import { aReceiver, hanging, responding } from '../support/receiver.ts';
import { aListeningTenant, anEndpoint } from '../support/webhooks.ts';
import { anInstallation, ended, migrate } from '../workflows/migrations.ts';

const installation = await anInstallation();
const { api, temporal } = installation;
const receiver = await aReceiver();
afterAll(async () => {
  await installation.close();
  await receiver.close();
});

/** Starts a worker that makes its build current. */
const aWorker = async (buildId: string, environment: Readonly<Record<string, string>> = {}) =>
  installation.startWorker({
    STEWARD_WORKER_VERSIONING: 'automatic',
    STEWARD_BUILD_ID: buildId,
    STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...environment,
  });

async function becomesCurrent(buildId: string): Promise<void> {
  await eventually(async () => {
    const status = await runCommand(api, ['deploy', 'status', '--json'], temporal);
    expect(JSON.parse(status) as WorkerDeployment).toMatchObject({ current: buildId });
  });
}

/** Waits until a delivery that no worker takes is in its task queue. */
async function deliveryWaits(): Promise<void> {
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_NAMESPACE: namespace = '' } = temporal;
  const connection = await Connection.connect({ address });
  try {
    await eventually(async () => {
      const { stats } = await connection.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: deliveryQueue },
        // Activities.
        taskQueueType: 2,
        reportStats: true,
      });
      return Number(stats?.approximateBacklogCount ?? 0) > 0;
    });
  } finally {
    await connection.close();
  }
}

describe('a build whose workers do not poll a task queue in which tasks wait', () => {
  it('becomes current, and a build that polls it again delivers what waits', async () => {
    receiver.behave(hanging);
    const tenant = await withActivityLogs(await aListeningTenant(api));
    await anEndpoint(api, tenant, receiver.url);
    const document = await aDocument(tenant);
    const one = await aWorker('one');
    await becomesCurrent('one');
    await addActivityLogs(tenant, document, activities(1));
    await eventually(() => receiver.ids().size === 1);
    await one.kill();
    await deliveryWaits();
    const two = await aWorker('two', { STEWARD_PAUSED: 'deliveries' });
    await becomesCurrent('two');
    const migrationId = await migrate(tenant, document, freshId('moved'));
    expect((await ended(tenant, document, migrationId)).status).toBe('completed');
    receiver.behave(responding(200));
    await two.stop();
    await aWorker('three');
    await eventually(async () => {
      const open = await api.database.sql('select from delivery where status <> 1');
      expect(open).toEqual([]);
    });
  });
});
