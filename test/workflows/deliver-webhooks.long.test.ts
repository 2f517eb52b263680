import { afterAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { eventually } from '../support/eventually.ts';
import {
  activities,
  addActivityLogs,
  calledThrough,
  withActivityLogs,
  type TestDocument,
  type TestTenant,
} from '../support/factories.ts';
import { aDocument } from '../support/factories.ts';
import { killed, startProcess } from '../support/processes.ts';
import { responding, aReceiver, hanging, type Receiver } from '../support/receiver.ts';
import { aListeningTenant, anEndpoint, happened } from '../support/webhooks.ts';
import { aClosableProxy, type ClosableProxy } from './closable-proxy.ts';
import { anInstallation, type Installation } from './migrations.ts';

/*
 * | Crashed or down | When                                           | Then                                                            |
 * |-----------------|------------------------------------------------|-----------------------------------------------------------------|
 * | API             | after the commit, before it wakes a dispatcher | the sweep wakes it                                              |
 * | worker          | with claimed messages, before a response       | they are due again when the claim ends, under the same id       |
 * | worker          | after the response, before it is recorded      | sent again under the same id, recorded once                     |
 * | worker          | with messages that wait for a retry            | another worker sends them when they are due                     |
 * | PostgreSQL      | between the response and its record            | recorded after the outage; not sent again                       |
 * | Temporal        | while events are written                       | all are delivered after the outage                              |
 * | a receiver      | hangs                                          | other receivers get their messages at once                      |
 */

const installations: Installation[] = [];
const receivers: Receiver[] = [];
const doors: ClosableProxy[] = [];
afterAll(async () => {
  await Promise.all(installations.map(async (installation) => installation.close()));
  await Promise.all([...receivers, ...doors].map(async (one) => ('end' in one ? one.end() : one.close())));
});

interface Scene {
  readonly installation: Installation;
  readonly tenant: TestTenant;
  readonly document: TestDocument;
  readonly receiver: Receiver;
  readonly endpoint: string;
}

async function receiving(): Promise<Receiver> {
  const receiver = await aReceiver();
  receivers.push(receiver);
  return receiver;
}

const shortRetries = { STEWARD_WEBHOOK_RETRY_SCHEDULE: '0s,1s,1s,1s' };

async function scene(): Promise<Scene> {
  const installation = await anInstallation();
  installations.push(installation);
  return { installation, ...(await another(installation)) };
}

/** Creates a tenant with an endpoint. */
async function another(installation: Installation): Promise<Omit<Scene, 'installation'>> {
  const tenant = await withActivityLogs(await aListeningTenant(installation.api));
  const receiver = await receiving();
  const endpoint = await anEndpoint(installation.api, tenant, receiver.url);
  return { tenant, receiver, endpoint, document: await aDocument(tenant) };
}

const startWorker = async ({ installation }: Scene, environment: Readonly<Record<string, string>> = {}) =>
  installation.startWorker({ STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8', ...environment });

const add = async ({ tenant, document }: Pick<Scene, 'tenant' | 'document'>, events: number) =>
  addActivityLogs(tenant, document, activities(events));

const arrived = async (receiver: Receiver, events: number): Promise<unknown> =>
  eventually(() => {
    if (receiver.ids().size < events) throw new Error(`${String(receiver.ids().size)} have arrived.`);
  });

interface Stored {
  readonly status: number;
  readonly messages: number;
  readonly attempts: number;
  readonly logged: number;
}

const stored = async ({ installation, tenant }: Scene): Promise<Stored[]> =>
  installation.api.database.sql<Stored>(
    `select status, count(*)::int as messages, sum(attempts)::int as attempts,
       (select count(*)::int from attempt where api_key_id = $1) as logged
     from delivery where api_key_id = $1 group by status order by status`,
    [tenant.id],
  );

/** Expects all messages to arrive, and each attempt to be recorded once. */
async function expectDone(set: Scene, messages: number, attempts = messages): Promise<void> {
  await eventually(async () =>
    expect(await stored(set)).toEqual([{ status: 1, messages, attempts, logged: attempts }]),
  );
}

const sequences = (receiver: Receiver): number[] =>
  [...new Set(receiver.delivered.map(({ body }) => body.sequence ?? 0))].sort((a, b) => a - b);

/** The fewest deliveries of a message. On a slow machine, a claim may end and its message is sent once more. */
const fewestOfOne = ({ delivered, ids }: Receiver): number =>
  Math.min(...[...ids()].map((each) => delivered.filter(({ id }) => id === each).length));

const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

async function door(target: string): Promise<ClosableProxy> {
  const made = await aClosableProxy(target);
  doors.push(made);
  return made;
}

// Concurrent, each with its own processes, because the claim of a crashed worker lasts 30 s.
describe('delivering webhooks', () => {
  it.concurrent('sends the events of a call to its endpoints, and leaves no workflow running', async () => {
    const set = await scene();
    await startWorker(set);
    await add(set, 3);
    await arrived(set.receiver, 3);
    await expectDone(set, 3);
    const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace = '' } = set.installation.temporal;
    const connection = await Connection.connect(address === undefined ? {} : { address });
    const { workflow } = new Client({ connection, namespace });
    const statusOf = async (id: string) => (await workflow.getHandle(id).describe()).status.name;
    await eventually(async () => {
      expect(await statusOf(`webhook-dispatch/${set.tenant.keyId}`)).toBe('COMPLETED');
      expect(await statusOf(`webhook-endpoint/${set.endpoint}`)).toBe('COMPLETED');
    });
    await connection.close();
  });

  it.concurrent(
    'starts few workflows for 100 successive calls, because a running workflow handles their events',
    async () => {
      const set = await scene();
      await startWorker(set);
      let gaps = 0;
      let last = Date.now();
      for (let call = 0; call < 100; call += 1) {
        await add(set, 1);
        if (Date.now() - last > 250) gaps += 1;
        last = Date.now();
      }
      await arrived(set.receiver, 100);
      expect(sequences(set.receiver)).toEqual(upTo(100));
      const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace = '' } = set.installation.temporal;
      const connection = await Connection.connect(address === undefined ? {} : { address });
      const { count } = await connection.workflowService.countWorkflowExecutions({
        namespace,
        query: `WorkflowType IN ('dispatchWebhooks', 'deliverWebhooks')`,
      });
      // On a slow machine, both workflows may end between two calls.
      expect(Number(count)).toBeLessThan(30 + 2 * gaps);
      await connection.close();
    },
  );

  it.concurrent('delivers events that an API committed before a kill -9 without a wake', async () => {
    const set = await scene();
    await startWorker(set);
    // This API cannot reach Temporal.
    const api = await startProcess('api', set.installation.api.database.url);
    await addActivityLogs(calledThrough(api, set.tenant), set.document, activities(5));
    await killed(api);
    await arrived(set.receiver, 5);
    await expectDone(set, 5);
  });

  it.concurrent(
    'sends claimed messages again under the same id when the worker is killed before the response',
    async () => {
      const set = await scene();
      set.receiver.behave(hanging);
      const worker = await startWorker(set);
      await add(set, 20);
      await arrived(set.receiver, 20);
      await killed(worker);
      set.receiver.behave(responding(200));
      await startWorker(set);
      await expectDone(set, 20);
      expect(set.receiver.ids().size).toBe(20);
      expect(fewestOfOne(set.receiver)).toBeGreaterThanOrEqual(2);
      expect(sequences(set.receiver)).toEqual(upTo(20));
    },
  );

  it.concurrent(
    'resends, and records once, a message that arrived just before the worker was killed',
    async () => {
      const set = await scene();
      const worker = await startWorker(set);
      const holder = await set.installation.api.database.connect();
      await holder.query('begin; lock table attempt in share mode');
      await add(set, 10);
      await arrived(set.receiver, 10);
      await killed(worker);
      await holder.query('rollback');
      await startWorker(set);
      await expectDone(set, 10);
      expect(set.receiver.ids().size).toBe(10);
      expect(fewestOfOne(set.receiver)).toBeGreaterThanOrEqual(2);
    },
  );

  it.concurrent('keeps the retries of a killed worker', async () => {
    const set = await scene();
    set.receiver.behave(responding(500));
    // No retry is due before the kill, however slow the machine is. Ten waiting messages would cause extra attempts.
    const worker = await startWorker(set, { STEWARD_WEBHOOK_RETRY_SCHEDULE: '0s,1h,1h' });
    await add(set, 9);
    await eventually(async () =>
      expect(await stored(set)).toMatchObject([{ status: 0, messages: 9, attempts: 9 }]),
    );
    await killed(worker);
    set.receiver.behave(responding(200));
    const twoHoursLater = `update delivery set retry_at = retry_at - interval '2 hours', next_at = next_at - interval '2 hours'
       where api_key_id = $1 and status = 0`;
    await set.installation.api.database.sql(twoHoursLater, [set.tenant.id]);
    await startWorker(set);
    await expectDone(set, 9, 18);
    expect(set.receiver.ids().size).toBe(9);
  });

  it.concurrent(
    'records messages that arrived during an outage of PostgreSQL, and does not resend them during their claim',
    async () => {
      const set = await scene();
      const url = new URL(set.installation.api.database.url);
      const postgres = await door(url.host);
      postgres.open();
      url.host = postgres.address;
      await startWorker(set, { DATABASE_URL: url.href });
      set.receiver.behave((_, response) => {
        postgres.close();
        setTimeout(() => {
          set.receiver.behave(responding(200));
          response.end();
        }, 200);
      });
      await add(set, 10);
      await arrived(set.receiver, 10);
      await eventually(() => postgres.refused() > 1);
      postgres.open();
      await expectDone(set, 10);
      // On a machine that takes 30 s to record them, the claims expire and messages are resent.
      const { delivered } = set.receiver;
      const repeatedTooEarly = delivered.filter(({ id, at }) =>
        delivered.some((earlier) => earlier.id === id && earlier.at < at && at - earlier.at < 20_000),
      );
      expect(repeatedTooEarly.map(({ id }) => id)).toEqual([]);
    },
  );

  it.concurrent('delivers all events that were written during an outage of Temporal', async () => {
    const set = await scene();
    const temporal = await door(set.installation.temporal['TEMPORAL_ADDRESS'] ?? '');
    temporal.open();
    const through = { ...set.installation.temporal, TEMPORAL_ADDRESS: temporal.address };
    await startWorker(set, through);
    const api = await startProcess('api', set.installation.api.database.url, through);
    temporal.close();
    const away = calledThrough(api, set.tenant);
    for (let call = 0; call < 10; call += 1) await addActivityLogs(away, set.document, activities(20));
    await eventually(() => temporal.refused() > 3);
    temporal.open();
    await arrived(set.receiver, 200);
    await expectDone(set, 200);
    expect(set.receiver.ids().size).toBe(200);
    await api.stop();
  });

  it.concurrent('does not delay other endpoints of the same or another key when some hang', async () => {
    const set = await scene();
    const other = await another(set.installation);
    const quick = await receiving();
    await anEndpoint(set.installation.api, set.tenant, quick.url);
    await startWorker(set, shortRetries);
    const longestMs = async (): Promise<number> => {
      quick.forget();
      other.receiver.forget();
      const began = Date.now();
      await Promise.all([add(set, 1), add(other, 1)]);
      await Promise.all([arrived(quick, 1), arrived(other.receiver, 1)]);
      return Math.max(...[quick, other.receiver].map(({ delivered }) => (delivered[0]?.at ?? 0) - began));
    };
    const aloneMs = await longestMs();
    set.receiver.behave(hanging);
    for (let endpoint = 0; endpoint < 20; endpoint += 1)
      await anEndpoint(set.installation.api, set.tenant, set.receiver.url);
    quick.forget();
    set.receiver.forget();
    await add(set, 100);
    await eventually(() => set.receiver.delivered.length > 100);
    await arrived(quick, 100);
    // Ten times the duration on an idle machine, or on this one.
    expect(await longestMs()).toBeLessThan(Math.max(30_000, 10 * aloneMs));
  });

  it.concurrent('does not delay a key because of thousands of events of another', async () => {
    const set = await scene();
    const other = await another(set.installation);
    let events = 0;
    const delayMs = async (): Promise<number> => {
      events += 1;
      const began = Date.now();
      await add(other, 1);
      await arrived(other.receiver, events);
      return Date.now() - began;
    };
    const first = await startWorker(set);
    const aloneMs = await delayMs();
    await first.stop();
    for (let endpoint = 0; endpoint < 4; endpoint += 1)
      await anEndpoint(set.installation.api, set.tenant, set.receiver.url);
    for (let batch = 0; batch < 20; batch += 1) {
      await happened(
        set.installation.api,
        set.tenant,
        Array.from({ length: 1_000 }, () => ({})),
      );
    }
    await startWorker(set);
    await add(set, 1);
    await eventually(() => set.receiver.delivered.length > 500);
    const delays: number[] = [];
    while (delays.length < 5) delays.push(await delayMs());
    // The median, with a limit of ten times the duration on an idle machine, or on this one.
    expect(delays.sort((a, b) => a - b)[2]).toBeLessThan(Math.max(20_000, 10 * aloneMs));
    const [waiting] = await set.installation.api.database.sql<{ more: boolean }>(
      `select exists (select from outbox where api_key_id = $1)
         or exists (select from delivery where api_key_id = $1 and status = 0) as more`,
      [set.tenant.id],
    );
    expect(waiting).toEqual({ more: true });
  });
});
