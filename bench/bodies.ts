import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Figure } from './figure.ts';
import type { OtherTenant } from './other-tenant.ts';
import { residentOf } from './process.ts';
import type { Bench } from './run.ts';
import type { Site } from './site.ts';
import { documentId, makeTenant, organizationId, type BenchKey } from './tenant.ts';

const attackMs = { full: 20_000, quick: 5_000 } as const;
const largest = 10 * 1_048_576;
const attackers = 8;
const path = '/v2/activities/add';

/**
 * Attacks with bodies of 10 MiB: 300 that stop halfway (with no, wrong and right credentials) and 40 callers that
 * send whole ones. Measures the API's memory, the calls of another tenant, and the memory that the API holds a minute
 * later.
 */
export const attackByBodies: Bench = async (site, { quick, show, signal }) => {
  const keys: BenchKey[] = [];
  for (let count = 0; count < attackers; count += 1) {
    keys.push(await makeTenant(await site.newKey(), site.sql));
  }
  show('Attacking with large bodies …');
  const idle = residentOf(site.api.pid) ?? 0;
  let peak = idle;
  const looking = setInterval(() => (peak = Math.max(peak, residentOf(site.api.pid) ?? 0)), 20);
  const forMs = quick ? attackMs.quick : attackMs.full;
  const until = performance.now() + forMs;
  const body = wholeBody();
  const sockets = stopInTheMiddle(site, keys);
  const senders = Array.from({ length: 5 }, () =>
    keys.map((key) => sendWhole(site, key, body, { until, signal })),
  );
  const attack = Promise.all([slowestOfAnother(site, forMs), ...senders.flat()]);
  const [{ slowest, refused }, ...statuses] = await attack.finally(() => {
    clearInterval(looking);
    for (const socket of sockets) socket.destroy();
  });
  show(
    `Whole bodies by status: ${countsOf(statuses.flat())}. Refused calls of another tenant: ${String(refused)}. Waiting for a minute …`,
  );
  await pause(60_000, undefined, { signal });
  const megabytes = (name: string, steward: number): Figure => ({
    name: `attack by bodies: resident memory of the API, ${name}`,
    unit: 'MB',
    steward,
    target: { of: 'measured', is: 'at most', value: 600 },
  });
  return [
    megabytes('before', idle),
    megabytes('most', peak),
    megabytes('60 s later', residentOf(site.api.pid) ?? Number.NaN),
    {
      name: 'attack by bodies: slowest call of another tenant',
      unit: 'ms',
      steward: slowest,
      target: { of: 'measured', is: 'at most', value: 1_000 },
    },
  ];
};

/** Opens 300 connections that send half a body each and then stop. */
function stopInTheMiddle({ api }: Site, keys: readonly BenchKey[]): Socket[] {
  const { hostname, port } = new URL(api.url);
  const half = Buffer.alloc(largest / 2, 'a');
  return Array.from({ length: 300 }, (_, index) => {
    // Each of two keys fills its quarter of the memory for bodies. Other keys must still be served.
    const key = keys[index % 2];
    const right = Object.entries(key?.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
    const wrong = `x-svc-api-key: ${key?.apiKey ?? ''}\r\nx-svc-auth-token: wrong\r\n`;
    const credentials = [right.join(''), wrong, ''][index % 3] ?? '';
    const length = index % 2 === 0 ? `Content-Length: ${String(largest)}` : 'Transfer-Encoding: chunked';
    const socket = connect(Number(port), hostname);
    socket.on('error', () => socket.destroy());
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${credentials}${length}\r\n\r\n`);
    if (index % 2 !== 0) socket.write(`${half.length.toString(16)}\r\n`);
    socket.write(half);
    socket.resume();
    return socket;
  });
}

/** A body that is parsed and validated whole, then refused: this measures the API, not PostgreSQL. */
function wholeBody(): Buffer {
  const text = 'Could you have another look at this paragraph? '.repeat(220);
  const activities = Array.from({ length: 980 }, (_, index) => ({
    featureType: 'comment',
    actionType: 'comment.add',
    actionUser: { userId: `user-${String(index)}` },
    entityData: { text },
  }));
  const body = Buffer.from(
    JSON.stringify({ data: { organizationId, documentId, activities, unknown: true } }),
  );
  if (body.length > largest) throw new Error('The body is too large.');
  return body;
}

/** Sends bodies of 10 MiB one after the other. Returns the statuses of the responses. */
async function sendWhole(
  { api }: Site,
  key: BenchKey,
  body: Buffer,
  { until, signal }: { readonly until: number; readonly signal: AbortSignal },
): Promise<number[]> {
  const headers = { 'content-type': 'application/json', ...key.headers };
  const statuses: number[] = [];
  const within = AbortSignal.any([signal, AbortSignal.timeout(120_000)]);
  while (performance.now() < until) {
    // 0: the API closed the connection, because the caller did not read its refusal within 2 s.
    const response = await fetch(`${api.url}${path}`, {
      method: 'POST',
      headers,
      body,
      signal: within,
    }).catch(() => undefined);
    statuses.push(response?.status ?? 0);
    await response?.text();
  }
  return statuses;
}

/** Returns the milliseconds of the slowest call of a key that does not attack, and the number of its failed calls. */
async function slowestOfAnother(
  { api, tenant }: Site,
  forMs: number,
): Promise<{ slowest: number; refused: number }> {
  const workerData: OtherTenant = { url: api.url, headers: tenant.headers, forMs };
  const thread = new Worker(new URL('other-tenant.ts', import.meta.url), { workerData });
  const [[slowest, refused]] = (await once(thread, 'message')) as [[number, number]];
  return { slowest, refused };
}

function countsOf(statuses: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${String(count)} × ${String(status)}`).join(', ');
}
