import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activityInfo } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { Activities } from '../../activities/index.ts';
import { searchAttributes } from '../../local/servers.ts';
import { startTemporal, type RunningTemporal } from '../../local/temporal.ts';
import { workflowBundle } from '../../worker/workflow-bundle.ts';
import {
  databaseQueue,
  deletionQueue,
  deliveryQueue,
  wakeSignal,
  workflowQueue,
  type DeliveryStep,
} from '../../workflows/contract.ts';
import { eventually } from '../support/eventually.ts';
import { quietRuntime } from './quiet-runtime.ts';

/* Each run continues as new after a few turns. The activities return what a test needs. */

let folder: string;
let temporal: RunningTemporal;
let connection: Connection;
let native: NativeConnection;
let client: Client;

beforeAll(async () => {
  quietRuntime();
  folder = await mkdtemp(join(tmpdir(), 'steward-continued-'));
  temporal = await startTemporal({
    binary: process.env['TEST_TEMPORAL_BINARY'] ?? '',
    directory: folder,
    databaseFile: undefined,
    namespace: 'default',
    searchAttributes,
    ui: false,
    shortTimers: true,
    maxHistoryEvents: 20,
  });
  connection = await Connection.connect({ address: temporal.address });
  native = await NativeConnection.connect({ address: temporal.address });
  client = new Client({ connection });
});

afterAll(async () => {
  await connection.close();
  await native.close();
  await temporal.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a worker with these activities until `act` has ended. */
async function withActivities(
  taskQueue: string,
  activities: Partial<Activities>,
  act: () => Promise<void>,
): Promise<void> {
  const workflows = await Worker.create({
    connection: native,
    taskQueue: workflowQueue,
    workflowBundle: await workflowBundle(tmpdir()),
  });
  const others = await Promise.all(
    [taskQueue, databaseQueue].map(async (queue) =>
      Worker.create({ connection: native, taskQueue: queue, activities }),
    ),
  );
  await workflows.runUntil(async () => others[0]?.runUntil(async () => others[1]?.runUntil(act)));
}

/** The number of the run, from 1, to which the running activity belongs. */
function numbered(): () => number {
  const runs: string[] = [];
  return () => {
    const { runId = '' } = activityInfo().workflowExecution ?? {};
    if (!runs.includes(runId)) runs.push(runId);
    return runs.indexOf(runId) + 1;
  };
}

describe('a run that continues as new', () => {
  it('shows the last failed turn of an endpoint until one delivers, in each run', async () => {
    const run = numbered();
    const turn = (attempted: number, delivered: number, nextIn: number): DeliveryStep => ({
      attempted,
      delivered,
      nextIn,
    });
    let delivers = false;
    const deliverMessages = async (): Promise<DeliveryStep> => {
      const number = run();
      if (number === 1) return turn(3, 0, 1);
      // The second run waits after a turn without a due message; woken, it delivers until it continues as the third.
      return number === 2 && delivers ? turn(1, 1, 1) : turn(0, 0, 600_000);
    };
    await withActivities(deliveryQueue, { deliverMessages }, async () => {
      const { workflowId, firstExecutionRunId } = await client.workflow.start('deliverWebhooks', {
        workflowId: 'delivery',
        taskQueue: workflowQueue,
        args: [{ keyId: 'akid_1', endpointId: 'ep_1' }],
      });
      const handle = client.workflow.getHandle(workflowId);
      const second = await eventually(async () => {
        const described = await handle.describe();
        return described.runId !== firstExecutionRunId && described;
      });
      const lastTurn = { state: 'failed', attempted: 3, delivered: 0 };
      expect(second.memo).toEqual({ lastTurn });
      delivers = true;
      await handle.signal(wakeSignal);
      const third = await eventually(async () => {
        const described = await handle.describe();
        return ![firstExecutionRunId, second.runId].includes(described.runId) && described;
      });
      expect(third.memo).toEqual({});
      await handle.terminate();
    });
  });

  it('shows the progress of a deletion before and after its first step', async () => {
    const run = numbered();
    const [begin, fence] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const counts = { activities: 5 };
    const activities = {
      beginDeletion: async () => {
        if (run() === 2) await begin.promise;
        return { tenant: 'akid_1', dryRun: false, lateInMs: 600_000, counts };
      },
      fenceUsers: async () => {
        if (run() === 2) await fence.promise;
        return true;
      },
      removePersonalData: async () => ({ state: run() === 1 ? 'more' : 'ended', counts }),
      readResult: async () => Promise.resolve(null),
    } as unknown as Partial<Activities>;
    await withActivities(deletionQueue, activities, async () => {
      const { workflowId, firstExecutionRunId } = await client.workflow.start('deleteUserData', {
        workflowId: 'deletion',
        taskQueue: workflowQueue,
        args: [{ jobId: 'job_1' }],
        memo: { requestId: 'request-1' },
      });
      const handle = client.workflow.getHandle(workflowId);
      await eventually(async () => (await handle.describe()).runId !== firstExecutionRunId);
      const progress = { phase: 'deleting', counts };
      const expectShown = async (): Promise<void> => {
        expect((await handle.describe()).memo).toEqual({ requestId: 'request-1', progress });
        expect(await handle.query('progress')).toEqual(progress);
      };
      await expectShown();
      begin.resolve();
      await eventually(async () =>
        expect((await handle.describe()).raw.pendingActivities?.[0]?.activityType?.name).toBe('fenceUsers'),
      );
      await expectShown();
      fence.resolve();
      await handle.result();
    });
  });
});
