import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activityInfo, type Info } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { storeNames } from '../../domain/deletion/stores/personal-data-stores.ts';
import type { VerificationPosition } from '../../domain/deletion/verify-deletion.ts';
import { readConfiguration } from '../../platform/config/read-configuration.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import type { Running } from '../../platform/process/run-program.ts';
import { startWorker } from '../../worker/start-worker.ts';
import type { JobInput } from '../../workflows/contract.ts';
import { serverEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { aPerson, aPreparedTenant, deleteData, endedDeletion } from './deletions.ts';
import { anInstallation, type Installation } from './migrations.ts';
import { quietRuntime } from './quiet-runtime.ts';

let installation: Installation;
let worker: Running;
let connection: Connection;
let client: Client;
/** The attempts to verify, as each began. */
const attempts: Info[] = [];

beforeAll(async () => {
  quietRuntime();
  installation = await anInstallation();
  const { api, temporal } = installation;
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_NAMESPACE: namespace = '' } = temporal;
  connection = await Connection.connect({ address });
  client = new Client({ connection, namespace });
  const configuration = readConfiguration(serverEnvironment(api.database.url, temporal), 'worker');
  const logger = createLogger({ level: 'silent', format: 'json', name: 'worker' });
  worker = await startWorker(configuration, logger, {
    activities: ({ verifyDeletion }) => ({
      async verifyDeletion(job: JobInput) {
        attempts.push(activityInfo());
        return verifyDeletion(job);
      },
    }),
  });
});
afterAll(async () => {
  await worker.close();
  await connection.close();
  await installation.close();
});

/** Runs a statement in a transaction that stays open. Returns a function that ends it. */
async function holding(statement: string, ...parameters: unknown[]): Promise<() => Promise<void>> {
  const holder = await installation.api.database.connect();
  await holder.query('begin');
  await holder.query(statement, parameters);
  return async () => void (await holder.query('commit'));
}

/** Waits until a statement that names the table waits for a lock. Returns its process. */
const waitingFor = async (table: string): Promise<number> =>
  eventually(async () => {
    const [found] = await installation.api.database.sql<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query ~ ('\\m' || $1 || '\\M')`,
      [table],
    );
    return found?.pid ?? false;
  });

describe('a verification scan whose attempt fails', () => {
  it('is continued at a store that the attempt had reached, may take a day, and is shown meanwhile', async () => {
    const { api } = installation;
    const tenant = await aPreparedTenant(api);
    const { userId } = await aPerson(tenant);
    const pass = await holding(
      'select 1 from crdt c join app_user u on u.id = c.last_updated_by where u.ext_id = $1 for update of c',
      userId,
    );
    const jobId = await deleteData(tenant, { userIds: [userId] });
    await waitingFor('crdt');
    const letGo = await holding('lock table user_group_member in access exclusive mode');
    await pass();
    const pid = await waitingFor('user_group_member');
    const workflow = client.workflow.getHandle(`user-data-deletion/${jobId}`);
    const shown = { phase: 'verifying', counts: expect.objectContaining({ activities: 3, crdtRecords: 1 }) };
    expect(await workflow.query('progress')).toEqual(shown);
    expect((await workflow.describe()).memo).toMatchObject({ progress: shown });
    await api.database.sql('select pg_terminate_backend($1)', [pid]);
    await eventually(() => attempts.length > 1);
    await letGo();
    expect(await endedDeletion(tenant, jobId)).toMatchObject({ status: 'completed', verified: true });
    for (const { heartbeatDetails } of attempts.slice(1)) {
      const { scanned } = heartbeatDetails as VerificationPosition;
      // A heartbeat timeout on a slow machine loses the last ones.
      expect(scanned.length).toBeGreaterThan(0);
      expect(heartbeatDetails).toEqual({ scanned: storeNames.slice(0, scanned.length), found: [], at: null });
    }
    expect(attempts[0]?.startToCloseTimeoutMs).toBe(86_400_000);
  });
});
