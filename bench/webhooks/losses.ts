import { setTimeout as pause } from 'node:timers/promises';
import type { Figure } from '../figure.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import type { BenchKey } from '../tenant.ts';
import type { Receiving } from './receiving.ts';
import { activities, bodyOf, newTenant } from './tenant.ts';

const callers = 50;
const inAll = 5_000;
const acceptedAtKill = 2_000;
const awaitingRetry = 500;

/** Kills API and worker with -9 and restarts them. Counts accepted events that do not arrive within two minutes. */
export async function measureLosses(site: Site, run: Run, receiver: Receiving): Promise<Figure[]> {
  run.show('Killing API and worker during 5,000 events …');
  const inTheMiddle = await killedInTheMiddle(site, run, receiver);
  run.show('Killing API and worker while 500 messages await a retry …');
  const waiting = await killedWhileWaiting(site, run, receiver);
  return [...inTheMiddle, ...waiting];
}

async function killedInTheMiddle(site: Site, run: Run, receiver: Receiving): Promise<Figure[]> {
  const key = await newTenant(site, [{ url: receiver.url }]);
  await receiver.command('forget');
  const accepted = new Set<string>();
  const killed = new AbortController();
  const posting = postAll(site, key, { prefix: 'k', number: inAll, accepted, until: killed.signal });
  while (accepted.size < acceptedAtKill) await pause(1, undefined, { signal: run.signal });
  killed.abort();
  await site.crash();
  await posting;
  await receiver.until(accepted.size, 120, run.signal);
  return await figuresOf(
    receiver,
    accepted,
    `of ${accepted.size.toLocaleString('en-US')} accepted before a kill -9`,
  );
}

async function killedWhileWaiting(site: Site, run: Run, receiver: Receiving): Promise<Figure[]> {
  const key = await newTenant(site, [{ url: receiver.url }]);
  await receiver.command('forget');
  await receiver.command('refuse');
  const accepted = new Set<string>();
  await postAll(site, key, { prefix: 'r', number: awaitingRetry, accepted });
  await untilAttempted(site, key.id, run.signal);
  await Promise.all([site.crash(), receiver.command('accept')]);
  await receiver.until(awaitingRetry, 60, run.signal);
  return await figuresOf(receiver, accepted, `of ${String(accepted.size)} awaiting a retry at a kill -9`);
}

interface Posting {
  readonly prefix: string;
  readonly number: number;
  /** Ids of events that a successful response acknowledged. */
  readonly accepted: Set<string>;
  readonly until?: AbortSignal;
}

/** Posts one record per call over the connections. A failed call ends its connection. */
async function postAll(
  site: Site,
  key: BenchKey,
  { prefix, number, accepted, until }: Posting,
): Promise<void> {
  const headers = { 'content-type': 'application/json', ...key.headers };
  let next = 0;
  const stopped = (): boolean => until?.aborted === true;
  const caller = async (): Promise<void> => {
    for (let n = next++; n < number && !stopped(); n = next++) {
      const body = bodyOf(activities(prefix, n, 1));
      const response = await fetch(`${site.api.url}/v2/activities/add`, { method: 'POST', headers, body });
      await response.arrayBuffer();
      if (response.ok) accepted.add(`${prefix}-${String(n)}`);
    }
  };
  await Promise.allSettled(Array.from({ length: callers }, caller));
}

/** Waits until each message has been attempted at least once. */
async function untilAttempted(site: Site, keyId: string, signal: AbortSignal): Promise<void> {
  const end = performance.now() + 60_000;
  for (;;) {
    const { rows } = await site.sql.query<{ count: string }>(
      'select count(*) from delivery where api_key_id = $1 and attempts > 0',
      [keyId],
    );
    if (Number(rows[0]?.count) >= awaitingRetry) return;
    if (performance.now() > end) throw new Error(`${String(rows[0]?.count)} messages have been attempted.`);
    await pause(50, undefined, { signal });
  }
}

async function figuresOf(
  receiver: Receiving,
  accepted: ReadonlySet<string>,
  which: string,
): Promise<Figure[]> {
  const arrivals = await receiver.arrivals();
  const arrived = new Set(arrivals.map(({ record }) => record));
  const lost = [...accepted].filter((record) => !arrived.has(record)).length;
  const none = { of: 'measured', is: 'at most', value: 0 } as const;
  return [
    { name: `lost ${which}`, unit: 'events', steward: lost, target: none },
    { name: `repeated deliveries ${which}`, unit: 'events', steward: arrivals.length - arrived.size },
  ];
}
