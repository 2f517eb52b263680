import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { createActivities } from '../../activities/index.ts';
import { openSenders } from '../../domain/deliveries/senders.ts';
import { entities } from '../../domain/entities.ts';
import { openDatabase, type Database } from '../../platform/database/open-database.ts';
import { senderQueues, workflowQueue, type SendTurn } from '../../workflows/contract.ts';
import { sendStartOf } from '../../workflows/starts.ts';
import { workflowBundle } from '../../worker/workflow-bundle.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { activityDependencies } from '../support/dependencies.ts';
import { aDocument, type TestTenant } from '../support/factories.ts';
import { aMailServer, type MailServer } from '../support/mail-server.ts';
import { statementNames } from '../support/pooler.ts';
import {
  aMailingTenant,
  messagingBy,
  movedClock,
  notified,
  notifiedIn,
  sendersOf,
  waitingOf,
} from '../support/senders.ts';
import { quietRuntime } from './quiet-runtime.ts';

/*
 * Temporal's clock skips the sleeps of senders. Due times are compared with that clock when it is ahead of PostgreSQL's.
 */

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;
const halfYear = 15_552_000 * second;

let api: TestApi;
let mail: MailServer;
let opened: Database;
let senders: ReturnType<typeof sendersOf>;

beforeAll(async () => {
  quietRuntime();
  mail = await aMailServer();
  api = await startTestApi();
  senders = sendersOf(api, mail.url);
  opened = openDatabase({
    url: api.database.url,
    poolSize: 5,
    statementTimeoutMs: 10_000,
    plansOnce: false,
    statementNames,
    entities,
  });
});
afterAll(async () => {
  await senders.close();
  await opened.close();
  await api.close();
  await mail.close();
});

/**
 * Runs the sender of a key on a separate server until no notice waits, because the server skips years after a
 * workflow's end. Returns the milliseconds from now to the last turn.
 */
async function sent({ keyId }: TestTenant): Promise<number> {
  const path = process.env['TEST_TIME_SKIPPING_SERVER'] ?? '';
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  const messaging = messagingBy(mail.url);
  const sending = { senders: openSenders(messaging, () => undefined), messaging, clock: movedClock };
  const dependencies = activityDependencies(api, opened.orm, { sending });
  const { sendNotices } = createActivities(dependencies);
  let lastTurn = 0;
  const activities = {
    sendNotices: async (turn: SendTurn) => {
      lastTurn = turn.now;
      return sendNotices(turn);
    },
  };
  const connection = environment.nativeConnection;
  const workers = await Promise.all([
    Worker.create({ connection, taskQueue: workflowQueue, workflowBundle: await workflowBundle(tmpdir()) }),
    Worker.create({ connection, taskQueue: senderQueues.email, activities }),
  ]);
  const runs = workers.map(async (worker) => worker.run());
  const { workflowType, workflowId, taskQueue, input } = sendStartOf({ keyId, channel: 'email' });
  const from = Date.now();
  await environment.client.workflow.execute(workflowType, { workflowId, taskQueue, args: [input] });
  for (const worker of workers) worker.shutdown();
  await Promise.all(runs);
  await environment.teardown();
  await sending.senders.close();
  await dependencies.outbound.close();
  return lastTurn - from;
}

const mailsTo = (address: string) => mail.mails.filter(({ to }) => to === address);
const readers = (email: string) => ({ notifyUsers: [{ userId: 'ben', email }] });
const delayed = (seconds: number) => ({ delayConfig: { isEnabled: true, delaySeconds: seconds } });

describe('the time of a notification', () => {
  it('is exact to the second despite clock changes of time zones', async () => {
    const tenant = await aMailingTenant(api, delayed(halfYear / second));
    await notified(tenant, readers('saving@users.test'));
    expect(
      await api.database.sql(
        `select extract(epoch from due_at - created_at)::int as seconds
         from notice where api_key_id = $1`,
        [tenant.id],
      ),
    ).toEqual([{ seconds: halfYear / second }]);
  });

  it('does not change when a clock is set back, and one message is sent', async () => {
    const tenant = await aMailingTenant(api, delayed(600));
    await notified(tenant, readers('back@users.test'));
    for (const inMs of [5 * minute, -day, 9 * minute]) await senders.turn(tenant, inMs);
    expect(mailsTo('back@users.test')).toEqual([]);
    for (const inMs of [11 * minute, -day, 12 * minute]) await senders.turn(tenant, inMs);
    expect(mailsTo('back@users.test')).toHaveLength(1);
    expect(await waitingOf(api, tenant)).toEqual({ notices: 0, windows: 0, outgoing: 0 });
  });
});

describe('the sender of a key', () => {
  it('sends one digest when a one-week window closes', async () => {
    const off = { isEnabled: false, batchWindowSeconds: 10, maxActivities: 2 };
    const user = { isEnabled: true, batchWindowSeconds: 604_800, maxActivities: 50 };
    const tenant = await aMailingTenant(api, { batchConfig: { document: off, user } });
    const location = await aDocument(tenant);
    for (const headline of ['First', 'Second'])
      await notifiedIn(tenant, location, {
        displayHeadlineMessageTemplate: headline,
        ...readers('week@users.test'),
      });
    const took = await sent(tenant);
    expect(took).toBeGreaterThanOrEqual(7 * day - 10 * minute);
    expect(took).toBeLessThan(7 * day + 60 * minute);
    expect(mailsTo('week@users.test').map(({ parsed }) => parsed.subject)).toEqual([
      expect.stringMatching(/^2 updates in /),
    ]);
  });

  it('sends a notification after a delay of six months', async () => {
    const tenant = await aMailingTenant(api, delayed(halfYear / second));
    await notified(tenant, readers('months@users.test'));
    const took = await sent(tenant);
    expect(took).toBeGreaterThanOrEqual(halfYear - 10 * minute);
    expect(took).toBeLessThan(halfYear + day);
    expect(mailsTo('months@users.test')).toHaveLength(1);
    expect(await waitingOf(api, tenant)).toEqual({ notices: 0, windows: 0, outgoing: 0 });
  });
});
