import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { choosePort } from '../../../../local/ports.ts';
import { startTestApi } from '../../../support/api.ts';
import { eventually } from '../../../support/eventually.ts';
import { aDocument, aTenant, activities, withActivityLogs } from '../../../support/factories.ts';
import { obtainHaProxy, startHaProxy, type HaProxy } from '../../../support/haproxy.ts';
import { startProcess, type TestProcess } from '../../../support/processes.ts';
import { startStallMeter, type Stall } from '../../../support/stall-meter.ts';

const haProxy = await obtainHaProxy();
if (typeof haProxy === 'string') process.stderr.write(`${haProxy}\n`);

const restarts = 20;

/** For a machine that others use: `TEST_REQUESTS_PER_SECOND=100`. A slow one gets half of what it bears. */
const maxPerSecond = Number(process.env['TEST_REQUESTS_PER_SECOND'] ?? 300);
const minSeconds = 200;
const measuredMs = 10_000;
const connections = 50;

interface Failure {
  readonly began: number;
  readonly ended: number;
  readonly reason: string;
}

interface Outcomes {
  succeeded: number;
  readonly failed: Failure[];
}

interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: Agent;
  /** Returns the next request. */
  readonly next: () => { readonly path: string; readonly body: string };
}

/** Sends a request over a kept connection, without retries. Returns why it failed; undefined for a success. */
async function send({ url, headers, agent, next }: Target): Promise<string | undefined> {
  const { path, body } = next();
  return new Promise((resolve) => {
    const call = request(url + path, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('close', () => {
        const succeeded = response.statusCode === 200 && response.complete;
        resolve(succeeded ? undefined : `${String(response.statusCode)} ${text.slice(0, 100)}`);
      });
    });
    call.once('error', (error) => resolve(error.message));
    call.end(body);
  });
}

/** Returns how many requests succeed in a second when each connection sends the next one after a response. */
async function measureRate(target: Target): Promise<number> {
  const began = performance.now();
  let succeeded = 0;
  const connection = async (): Promise<void> => {
    while (performance.now() - began < measuredMs) if ((await send(target)) === undefined) succeeded += 1;
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return (succeeded * 1_000) / (performance.now() - began);
}

/** Sends requests at a fixed rate until `signal` aborts, and records their outcomes. */
async function load(
  target: Target,
  perSecond: number,
  outcomes: Outcomes,
  signal: AbortSignal,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const sendOne = async (): Promise<void> => {
    const began = performance.now();
    const reason = await send(target);
    if (reason === undefined) outcomes.succeeded += 1;
    else outcomes.failed.push({ began, ended: performance.now(), reason });
  };
  const began = performance.now();
  for (let sent = 0; !signal.aborted; sent += 1) {
    const dueMs = began + (sent * 1_000) / perSecond - performance.now();
    if (dueMs > 1) await pause(dueMs);
    const one: Promise<void> = sendOne().finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
}

/** Milliseconds after a stall until HAProxy, whose checks time out in it, sends requests to both APIs again. */
const checkedAgainMs = 10_000;

/** Whether a request may have failed because of the stall: it was open during it, or sent soon after. */
const during = ({ from, to }: Stall, { began, ended }: Failure): boolean =>
  began < to + checkedAgainMs && ended > from;

const describeWithHaProxy = typeof haProxy === 'string' ? describe.skip : describe;

describeWithHaProxy('two APIs behind HAProxy', () => {
  const stops: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  it(`lose no request of callers without retries in ${String(restarts)} rolling restarts`, async () => {
    const first = await startTestApi();
    stops.push(() => first.close());
    const tenant = await withActivityLogs(await aTenant(first));
    const document = await aDocument(tenant);
    const ports = [await choosePort(undefined), await choosePort(undefined)];
    const start = async (port: number): Promise<TestProcess> =>
      startProcess('api', first.database.url, {
        PORT: String(port),
        STEWARD_DRAIN_DELAY: '5s',
        LOG_LEVEL: 'info',
      });
    const apis = await Promise.all(ports.map(start));
    stops.push(async () => Promise.all(apis.map((api) => api.kill())));
    const balancer: HaProxy = await startHaProxy(haProxy as Exclude<typeof haProxy, string>, ports);
    stops.push(() => balancer.stop());
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    stops.push(async () => agent.destroy());
    let number = 0;
    const writesAndReads = () => {
      number += 1;
      return number % 2 === 0
        ? {
            path: '/v2/activities/add',
            body: JSON.stringify({ data: { ...document, activities: activities(1) } }),
          }
        : {
            path: '/v2/organizations/get',
            body: JSON.stringify({ data: { organizationIds: [document.organizationId] } }),
          };
    };
    const over = new AbortController();
    stops.push(async () => over.abort());
    const headers = { 'content-type': 'application/json', ...tenant.headers };
    const target = { url: balancer.url, headers, agent, next: writesAndReads };
    const perSecond = Math.max(1, Math.min(maxPerSecond, (await measureRate(target)) / 2));
    const minRequests = Math.ceil(minSeconds * perSecond);
    const outcomes: Outcomes = { succeeded: 0, failed: [] };
    const meter = startStallMeter();
    stops.push(async () => meter.stop());
    const loading = load(target, perSecond, outcomes, over.signal);
    for (let restart = 0; restart < restarts; restart += 1) {
      const index = restart % 2;
      expect(await apis[index]?.stop()).toBe(0);
      const api = await start(ports[index] ?? 0);
      apis[index] = api;
      await eventually(async () => (await fetch(`${api.url}/readyz`)).ok);
      // HAProxy checks twice a second: the next restart waits until it sends requests here again.
      await eventually(() => api.log.some((line) => line.includes('"/v2/')));
    }
    await eventually(() => outcomes.succeeded >= minRequests, { within: 3_600_000 });
    over.abort();
    await loading;
    const { succeeded, failed } = outcomes;
    const lost = failed.filter((one) => !meter.stalls.some((stall) => during(stall, one)));
    process.stderr.write(
      `  ${String(succeeded)} requests succeeded at ${perSecond.toFixed(0)} a second, ${String(failed.length)} failed, ` +
        `${String(failed.length - lost.length)} of them in ${String(meter.stalls.length)} stalls of the machine\n`,
    );
    expect(lost.slice(0, 10)).toEqual([]);
  }, 7_200_000);
});
