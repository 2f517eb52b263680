import { setTimeout as pause } from 'node:timers/promises';
import { quantile, type Figure } from '../figure.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import type { BenchKey } from '../tenant.ts';
import type { Receiving } from './receiving.ts';
import { activities, bodyOf, newTenant, posted } from './tenant.ts';

/** Number of keys, each with one event per minute. */
const keysOfAll = 1_000;
const everyMs = 60_000 / keysOfAll;

/** Measures the time from the transaction that records an event to its arrival, where each event is of another key. */
export async function measureManyKeys(site: Site, run: Run, receiver: Receiving): Promise<Figure[]> {
  const number = run.quick ? keysOfAll / 4 : keysOfAll;
  run.show(`Creating ${String(number)} keys …`);
  const keys: BenchKey[] = [];
  for (let key = 0; key < number; key += 1) keys.push(await newTenant(site, [{ url: receiver.url }]));
  await untilProvisioned(site, run.signal);
  await receiver.command('forget');
  run.show(`Sending one event of each of ${String(number)} keys …`);
  const began = performance.now();
  const calls: Promise<void>[] = [];
  for (const [n, { headers }] of keys.entries()) {
    await pause(Math.max(0, n * everyMs - (performance.now() - began)), undefined, { signal: run.signal });
    calls.push(posted(`${site.api.url}/v2/activities/add`, headers, bodyOf(activities('m', n, 1))));
  }
  await Promise.all(calls);
  const { distinct } = await receiver.until(number, 120, run.signal);
  if (distinct < number) throw new Error(`${String(distinct)} of ${String(number)} arrived.`);
  const took = await latencies(site, keys, receiver);
  return (['p50', 'p99'] as const).map((name) => ({
    name: `1,000 keys with one event a minute each: from commit to the first attempt, ${name}`,
    unit: 's',
    steward: quantile(took, name === 'p50' ? 0.5 : 0.99) / 1_000,
    ...(name === 'p99' && { target: { of: 'measured', is: 'at most', value: 5 } as const }),
  }));
}

/** Waits for the jobs that turning webhooks on starts: they are not part of the measurement. */
async function untilProvisioned(site: Site, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { rows } = await site.sql.query('select from job where status in (0, 1) limit 1');
    if (rows.length === 0) return;
    await pause(250, undefined, { signal });
  }
}

async function latencies(site: Site, keys: readonly BenchKey[], receiver: Receiving): Promise<number[]> {
  const { rows } = await site.sql.query<{ id: string; at: number }>(
    'select public_id as id, (extract(epoch from at) * 1000)::float8 as at from event where api_key_id = any($1)',
    [keys.map(({ id }) => id)],
  );
  const recorded = new Map(rows.map(({ id, at }) => [id, at]));
  return (await receiver.arrivals()).map(({ id, at }) => at - (recorded.get(id) ?? Number.NaN));
}
