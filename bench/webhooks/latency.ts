import { setTimeout as pause } from 'node:timers/promises';
import { quantile, type Figure } from '../figure.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import type { Receiving } from './receiving.ts';
import { adding, newTenant, posted } from './tenant.ts';

const aSecond = 200;
const max = { p50: 100, p99: 1_000 };

/** Measures the time from the transaction that records an event to its arrival, at 200 calls per second with one event each. */
export async function measureLatency(site: Site, run: Run, receiver: Receiving): Promise<Figure[]> {
  const seconds = run.quick ? 5 : 20;
  const key = await newTenant(site, [{ url: receiver.url }]);
  const { url, headers, body } = adding(site, key, `l${String(Date.now())}`, 1);
  await receiver.command('forget');
  const began = performance.now();
  const calls: Promise<void>[] = [];
  for (let sent = 0; sent < seconds * aSecond; sent += 1) {
    const ahead = (sent * 1_000) / aSecond - (performance.now() - began);
    if (ahead > 0) await pause(ahead);
    calls.push(posted(url, headers, typeof body === 'string' ? body : body()));
  }
  await Promise.all(calls);
  const { distinct } = await receiver.until(calls.length, 60, run.signal);
  if (distinct < calls.length) throw new Error(`${String(distinct)} of ${String(calls.length)} arrived.`);
  const took = await latencies(site, key.id, receiver);
  return (['p50', 'p99'] as const).map((name) => ({
    name: `from commit to the first attempt at ${String(aSecond)} events/s, ${name}`,
    unit: 'ms',
    steward: quantile(took, name === 'p50' ? 0.5 : 0.99),
    target: { of: 'measured', is: 'at most', value: max[name] },
  }));
}

/** Returns latencies in milliseconds. An event's time is the start of its transaction, shortly before the commit. */
async function latencies(site: Site, keyId: string, receiver: Receiving): Promise<number[]> {
  const { rows } = await site.sql.query<{ id: string; at: number }>(
    'select public_id as id, (extract(epoch from at) * 1000)::float8 as at from event where api_key_id = $1',
    [keyId],
  );
  const recorded = new Map(rows.map(({ id, at }) => [id, at]));
  const arrivals = await receiver.arrivals();
  return arrivals.map(({ id, at }) => at - (recorded.get(id) ?? Number.NaN));
}
