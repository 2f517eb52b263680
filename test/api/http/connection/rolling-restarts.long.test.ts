import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { choosePort } from '../../../../local/ports.ts';
import { startTestApi } from '../../../support/api.ts';
import { eventually } from '../../../support/eventually.ts';
import { aDocument, aTenant, activities, withActivityLogs } from '../../../support/factories.ts';
import { obtainHaProxy, startHaProxy, type HaProxy } from '../../../support/haproxy.ts';
import { startProcess, type TestProcess } from '../../../support/processes.ts';

const haProxy = await obtainHaProxy();
if (typeof haProxy === 'string') process.stderr.write(`${haProxy}\n`);

const restarts = 20;

/** For a machine that others use: `TEST_REQUESTS_PER_SECOND=100`. */
const requestsPerSecond = Number(process.env['TEST_REQUESTS_PER_SECOND'] ?? 300);
const minRequests = 200 * requestsPerSecond;

interface Outcomes {
  succeeded: number;
  readonly failed: string[];
}

/** Sends requests over kept connections at a fixed rate, without retries, until `signal` aborts. */
async function load(
  send: () => { readonly path: string; readonly body: string },
  { url, headers, agent }: { url: string; headers: Readonly<Record<string, string>>; agent: Agent },
  signal: AbortSignal,
): Promise<Outcomes> {
  const outcomes: Outcomes = { succeeded: 0, failed: [] };
  const running = new Set<Promise<void>>();
  const began = performance.now();
  for (let sent = 0; !signal.aborted; sent += 1) {
    const dueMs = began + (sent * 1_000) / requestsPerSecond - performance.now();
    if (dueMs > 1) await pause(dueMs);
    const { path, body } = send();
    const one = new Promise<void>((resolve) => {
      const call = request(url + path, { method: 'POST', agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('close', () => {
          if (response.statusCode === 200 && response.complete) outcomes.succeeded += 1;
          else outcomes.failed.push(`${String(response.statusCode)} ${text.slice(0, 100)}`);
          resolve();
        });
      });
      call.once('error', (error) => {
        outcomes.failed.push(error.message);
        resolve();
      });
      call.end(body);
    }).finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
  return outcomes;
}

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
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });
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
    const headers = { 'content-type': 'application/json', ...tenant.headers };
    const loading = load(writesAndReads, { url: balancer.url, headers, agent }, over.signal);
    for (let restart = 0; restart < restarts; restart += 1) {
      const index = restart % 2;
      expect(await apis[index]?.stop()).toBe(0);
      const api = await start(ports[index] ?? 0);
      apis[index] = api;
      await eventually(async () => (await fetch(`${api.url}/readyz`)).ok);
      // HAProxy checks twice a second: the next restart waits until it sends requests here again.
      await eventually(() => api.log.some((line) => line.includes('"/v2/')));
    }
    await eventually(() => number >= minRequests);
    over.abort();
    const { succeeded, failed } = await loading;
    process.stderr.write(`  ${String(succeeded)} requests succeeded, ${String(failed.length)} failed\n`);
    expect(failed.slice(0, 10)).toEqual([]);
    expect(succeeded).toBeGreaterThanOrEqual(minRequests);
  });
});
