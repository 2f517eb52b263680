import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** Sends small sequential calls until `forMs` have passed. Runs in its own thread, because the attack occupies the main one. */
export interface OtherTenant {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly forMs: number;
}

const { url, headers, forMs } = workerData as OtherTenant;
const began = performance.now();
let slowestMs = 0;
let refused = 0;
while (performance.now() - began < forMs) {
  const called = performance.now();
  const response = await fetch(`${url}/v2/organizations/get`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"data":{"pageSize":10}}',
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) refused += 1;
  await response.text();
  slowestMs = Math.max(slowestMs, performance.now() - called);
  await pause(10);
}
parentPort?.postMessage([slowestMs, refused], []);
