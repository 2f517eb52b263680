import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { eventually } from '../support/eventually.ts';
import { anOperator } from '../support/factories.ts';
import { aReceiver, responding, type Receiver } from '../support/receiver.ts';
import { anEndpoint, happened } from '../support/webhooks.ts';
import { aWorld } from '../support/world.ts';
import { anInstallation, type Installation } from './migrations.ts';

let installation: Installation;
let receiver: Receiver;
let connection: Connection;

beforeAll(async () => {
  installation = await anInstallation();
  await installation.startWorker({ STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
  receiver = await aReceiver();
  connection = await Connection.connect({ address: installation.temporal['TEMPORAL_ADDRESS'] ?? '' });
});
afterAll(async () => {
  await connection.close();
  await installation.close();
  await receiver.close();
});

describe('the job that deletes a key', () => {
  it('completes while deliveries wait for a retry, and ends every workflow of the key', async () => {
    const { api, temporal } = installation;
    const operator = anOperator(api);
    const { tenant, ids } = await aWorld(api);
    receiver.behave(responding(500));
    await anEndpoint(api, tenant, receiver.url);
    await happened(api, tenant, [{}, {}]);
    await eventually(() => expect(receiver.ids().size).toBeGreaterThanOrEqual(2));
    const request = { keyId: tenant.keyId, confirmName: ids.keyName[0] };
    const { data } = await operator.ok<{ jobId: string }>('/v2/operator/keys/delete', request);
    const { jobId } = data;
    await api.database.sql(
      `update api_key set deleted_at = deleted_at - interval '61 seconds' where id = $1`,
      [tenant.id],
    );
    await eventually(async () =>
      expect((await operator.ok('/v2/operator/keys/deletion/get', { jobId })).data).toMatchObject({
        status: 'completed',
        receipt: expect.any(String),
      }),
    );
    const client = new Client({ connection, namespace: temporal['TEMPORAL_NAMESPACE'] ?? '' });
    const query = `StewardKeyId = '${tenant.keyId}' and ExecutionStatus = 'Running'`;
    await eventually(async () => expect((await client.workflow.count(query)).count).toBe(0));
  });
});
