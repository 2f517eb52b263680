import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { aiProviders, saying, withProviderKeys, type TestProviders } from '../support/ai-providers.ts';
import { eventually } from '../support/eventually.ts';
import {
  aDocument,
  freshId,
  withActivityLogs,
  type TestDocument,
  type TestTenant,
} from '../support/factories.ts';
import type { TestProcess } from '../support/processes.ts';
import { aReceiver, responding, type Receiver } from '../support/receiver.ts';
import { startStallMeter } from '../support/stall-meter.ts';
import { aListeningTenant, anEndpoint } from '../support/webhooks.ts';
import { anInstallation, ended, migrate, type Installation } from '../workflows/migrations.ts';
import { tasksSince, type Task } from './tasks.ts';

const restarts = 10;

/** Milliseconds. */
const timesMs = { provider: 3_000, hanging: 8_000, betweenCalls: 500, betweenRestarts: 1_000 } as const;

/** Max milliseconds that a task or a delivery waits, with tenfold slack for a slow machine. */
const maxWaitMs = 50_000;

/** Max tasks that reach a worker just as it stops: tenfold of what a quiet machine shows. */
const maxLostPerRestart = 5;

/** Milliseconds of load before and after the restarts. Where tasks are late without a restart, the machine is too slow. */
const withoutRestartsMs = 20_000;

/**
 * Max processes of each core that run or wait, in the last minute of the restarts. A worker that starts beside more of
 * them needs longer than the limits.
 */
const maxLoadPerCore = 3;

/** Time limit of an activity: a lost one runs again after it. */
const lostAfterMs = 60_000;

/** AI calls without a response at which no further load is sent, because the machine is too slow for it: twice the usual. */
const maxOpenCalls = 12;

let installation: Installation;
let tenant: TestTenant;
let provider: TestProviders;
let receiver: Receiver;
let connection: Connection;
let client: Client;
const workers: TestProcess[] = [];

beforeAll(async () => {
  installation = await anInstallation();
  provider = await aiProviders();
  provider.behave(async (call, response, number) => {
    await pause(timesMs.provider);
    await saying('Short.')(call, response, number);
  });
  receiver = await aReceiver();
  let slowRequests = 0;
  receiver.behave((delivered, response) => {
    const hangs = delivered.path === '/slow' && (slowRequests += 1) % 10 === 0;
    setTimeout(() => responding(200)(delivered, response), hangs ? timesMs.hanging : 10);
  });
  tenant = await withActivityLogs(await withProviderKeys(await aListeningTenant(installation.api)));
  await tenant.ok('/v2/organizations/add', { organizations: [{ organizationId: 'acme' }] });
  await tenant.ok('/v2/organizations/documents/add', {
    organizationId: 'acme',
    documents: [{ documentId: 'plan' }],
  });
  await anEndpoint(installation.api, tenant, receiver.url);
  await anEndpoint(installation.api, tenant, receiver.url.replace('/hook', '/slow'));
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_NAMESPACE: namespace = '' } = installation.temporal;
  connection = await Connection.connect({ address });
  client = new Client({ connection, namespace });
  workers.push(await startWorker(), await startWorker());
});
afterAll(async () => {
  await installation.close();
  await connection.close();
  await Promise.all([provider.close(), receiver.close()]);
});

const startWorker = async (): Promise<TestProcess> =>
  installation.startWorker({
    ...provider.environment,
    STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
    LOG_LEVEL: 'info',
  });

/** Stops the older of the two workers and starts another one. Returns the exit code. */
async function restart(): Promise<number | null> {
  await pause(timesMs.betweenRestarts);
  const exitCode = await workers.shift()?.stop();
  workers.push(await startWorker());
  return exitCode ?? null;
}

/** The calls, jobs and events of one load. */
interface Load {
  readonly calls: Promise<boolean>[];
  readonly migrations: { readonly document: TestDocument; readonly migrationId: string }[];
  /** Times of the events by the id of their user. */
  readonly events: Map<string, number>;
}

/**
 * Requests a migration, an AI call and an event for two endpoints until `during` has ended. Does so twice a second, or
 * as fast as AI calls return.
 */
async function requestDuring(during: Promise<unknown>): Promise<Load> {
  const load: Load = { calls: [], migrations: [], events: new Map() };
  const over = new AbortController();
  const end = (): void => over.abort();
  during.then(end, end);
  let open = 0;
  while (!over.signal.aborted) {
    await eventually(() => open < maxOpenCalls);
    open += 1;
    const call = aiCall().catch(() => false);
    void call.then(() => (open -= 1));
    load.calls.push(call);
    const document = await aDocument(tenant);
    load.migrations.push({ document, migrationId: await migrate(tenant, document, freshId('moved')) });
    const userId = freshId('user');
    load.events.set(userId, Date.now());
    await tenant.ok('/v2/activities/add', {
      organizationId: 'acme',
      documentId: 'plan',
      activities: [{ featureType: 'comment', actionType: 'comment.add', actionUser: { userId } }],
    });
    await pause(timesMs.betweenCalls);
  }
  return load;
}

/** Calls ask-ai. Returns whether the caller received the provider's text. */
async function aiCall(): Promise<boolean> {
  const data = { model: 'gpt-4o', prompt: 'Make it shorter.', text: 'A long text.' };
  const { status, text } = await tenant.call('/v2/rewriter/ask-ai', data);
  return status === 200 && text.includes('Short.');
}

/** Returns the webhook id and the endpoint of each delivery of an event of the load, and the milliseconds since the event. */
const deliveriesOf = ({ events }: Load): { readonly to: string; readonly waitedMs: number }[] =>
  receiver.delivered.flatMap(({ id, path, at, body }) => {
    const sent = events.get(/"userId":"(user[^"]*)"/.exec(JSON.stringify(body.data))?.[1] ?? '');
    return sent === undefined ? [] : [{ to: `${id} ${path}`, waitedMs: at - sent }];
  });

/** The number of deliveries without repeated ones. */
const arrivedOf = (load: Load): number => new Set(deliveriesOf(load).map(({ to }) => to)).size;

/** The outcome of a load after all of it has ended. */
interface Outcome {
  readonly calls: number;
  readonly failedCalls: number;
  readonly providerCalls: number;
  readonly unfinishedJobs: number;
  readonly events: number;
  /** Deliveries without repeated ones, and with them. */
  readonly arrived: number;
  readonly deliveries: number;
  readonly tasks: readonly Task[];
  readonly longestDeliveryMs: number;
  /** Times of more than a second in which the machine did not run the test. */
  readonly stalls: number;
}

/** Applies the load during `action`. Returns its outcome. */
async function outcomeDuring(action: Promise<unknown>): Promise<Outcome> {
  const sinceMs = Date.now();
  const calledBefore = provider.received.length;
  const meter = startStallMeter();
  const load = await requestDuring(action);
  const succeeded = await Promise.all(load.calls);
  const statuses: string[] = [];
  for (const { document, migrationId } of load.migrations)
    statuses.push((await ended(tenant, document, migrationId)).status);
  await eventually(() => arrivedOf(load) >= 2 * load.events.size);
  meter.stop();
  const deliveries = deliveriesOf(load);
  return {
    calls: load.calls.length,
    failedCalls: succeeded.filter((ok) => !ok).length,
    providerCalls: provider.received.length - calledBefore,
    unfinishedJobs: statuses.filter((status) => status !== 'completed').length,
    events: load.events.size,
    arrived: arrivedOf(load),
    deliveries: deliveries.length,
    tasks: await tasksSince(client, sinceMs),
    longestDeliveryMs: Math.max(...deliveries.map(({ waitedMs }) => waitedMs)),
    stalls: meter.stalls.length,
  };
}

const longestMs = (tasks: readonly Task[], kind: Task['kind']): number =>
  Math.max(...tasks.filter((task) => task.kind === kind).map(({ waitedMs }) => waitedMs));
const timedOut = (tasks: readonly Task[]): readonly Task[] =>
  tasks.filter((task) => task.timedOut !== undefined);
const late = (tasks: readonly Task[]): readonly Task[] => tasks.filter(({ waitedMs }) => waitedMs > 5_000);
const repeated = (tasks: readonly Task[]): readonly Task[] => tasks.filter(({ attempt }) => attempt > 1);

function report(title: string, { tasks, ...counts }: Outcome): void {
  const figures = {
    ...counts,
    tasks: tasks.length,
    timedOut: timedOut(tasks).length,
    repeatedActivities: repeated(tasks).length,
    longestWorkflowTaskMs: longestMs(tasks, 'workflow'),
    longestActivityTaskMs: longestMs(tasks, 'activity'),
    late: late(tasks).length,
  };
  process.stderr.write(`  ${title}: ${JSON.stringify(figures)}\n`);
}

describe('jobs, deliveries and AI calls of two workers', () => {
  it('run once and wait at most 5 s while the workers are restarted one after the other', async () => {
    const before = await outcomeDuring(pause(withoutRestartsMs));
    report('before the restarts', before);
    const exitCodes: (number | null)[] = [];
    const restarting = async (): Promise<void> => {
      while (exitCodes.length < restarts) exitCodes.push(await restart());
    };
    const restarted = await outcomeDuring(restarting());
    const [load = 0] = loadavg();
    report(`${String(restarts)} restarts`, restarted);
    const after = await outcomeDuring(pause(withoutRestartsMs));
    report('after the restarts', after);

    expect(exitCodes).toEqual(exitCodes.map(() => 0));
    for (const outcome of [before, restarted, after]) expectNothingLost(outcome);
    const isStalled = [before, restarted, after].some(({ stalls }) => stalls > 0);
    const isBusy = load > maxLoadPerCore * availableParallelism();
    if (isStalled || isBusy || late(before.tasks).length > 0 || late(after.tasks).length > 0) {
      process.stderr.write('  The machine is too slow for this load: its limits of time are not checked.\n');
      return;
    }
    expectOnTime(before, 0);
    expectOnTime(restarted, restarts * maxLostPerRestart);
    expectOnTime(after, 0);
  });
});

/** On any machine, every job, AI call and delivery ends, and nearly every caller receives the text of the provider. */
function expectNothingLost({
  unfinishedJobs,
  arrived,
  events,
  calls,
  failedCalls,
  providerCalls,
}: Outcome): void {
  expect({ unfinishedJobs, arrived }).toEqual({ unfinishedJobs: 0, arrived: 2 * events });
  expect(providerCalls).toBeGreaterThanOrEqual(calls - failedCalls);
}

/**
 * Each call and delivery happens once. Up to `maxLost` tasks may reach a worker just as it stops: they are lost, and run
 * again after their time limit.
 */
function expectOnTime(outcome: Outcome, maxLost: number): void {
  const { calls, events, tasks } = outcome;
  expect(outcome).toMatchObject({ deliveries: 2 * events, failedCalls: 0, providerCalls: calls });
  const lost = timedOut(tasks).filter(({ kind }) => kind === 'activity');
  const lostTasks = repeated(tasks).length + lost.length;
  expect(lostTasks).toBeLessThanOrEqual(maxLost);
  const first = tasks.filter(({ attempt, timedOut: end }) => attempt === 1 && end === undefined);
  for (const kind of ['workflow', 'activity'] as const)
    expect(longestMs(first, kind)).toBeLessThan(maxWaitMs);
  expect(outcome.longestDeliveryMs).toBeLessThan(lostTasks === 0 ? maxWaitMs : maxWaitMs + lostAfterMs);
}
