import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { Figure } from '../figure.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import type { Receiving } from './receiving.ts';
import { adding, newTenant, posted } from './tenant.ts';

const [aSecond, batch] = [1_000, 10];
const seconds = { full: 600, quick: 60 };

/**
 * Measures the time from the transaction that records an event to its first attempt, over the last minute. Meanwhile a
 * transaction of another program holds a snapshot: PostgreSQL then removes no dead rows of the outbox and of due
 * messages.
 */
export async function measureHeldSnapshot(site: Site, run: Run, receiver: Receiving): Promise<Figure[]> {
  const span = run.quick ? seconds.quick : seconds.full;
  const key = await newTenant(site, [{ url: receiver.url }]);
  const holder = new Client({ connectionString: site.databaseUrl, application_name: 'bench' });
  await holder.connect();
  try {
    // Otherwise the role's limit ends the session after 30 s.
    await holder.query('set idle_in_transaction_session_timeout = 0');
    await holder.query('begin isolation level repeatable read');
    await holder.query('select count(*) from outbox');
    const calls = await sendFor(site, key, { span, receiver, signal: run.signal });
    const waited = await untilAttempted(site, key.id, calls * batch, run.signal);
    run.show(`The last event waited for ${waited.toFixed(1)} s.`);
    const { rows } = await site.sql.query<{ p50: number; p99: number }>(
      `select percentile_cont(0.5) within group (order by took) as p50, percentile_cont(0.99) within group (order by took) as p99
       from (select extract(epoch from at - event_at)::float8 as took from attempt
         where api_key_id = $1 and no = 1 and event_at > (select max(event_at) from attempt where api_key_id = $1) - interval '1 minute') a`,
      [key.id],
    );
    const name = `${aSecond.toLocaleString('en-US')} events/s beside a snapshot held for ${String(span)} s: from commit to the first attempt`;
    return (['p50', 'p99'] as const).map((quantile) => ({
      name: `${name}, ${quantile}`,
      unit: 's',
      steward: rows[0]?.[quantile] ?? Infinity,
      ...(quantile === 'p99' && { target: { of: 'measured', is: 'at most', value: 5 } as const }),
    }));
  } finally {
    await holder.end();
  }
}

interface Sending {
  /** Seconds. */
  readonly span: number;
  readonly receiver: Receiving;
  readonly signal: AbortSignal;
}

/** Sends events at a constant rate. Returns the number of calls. */
async function sendFor(
  site: Site,
  key: Parameters<typeof adding>[1],
  { span, receiver, signal }: Sending,
): Promise<number> {
  const { url, headers, body } = adding(site, key, 'h', batch);
  const everyMs = (batch * 1_000) / aSecond;
  const amount = (span * aSecond) / batch;
  const began = performance.now();
  const open = new Set<Promise<void>>();
  for (let n = 0; n < amount; n += 1) {
    await pause(Math.max(0, n * everyMs - (performance.now() - began)), undefined, { signal });
    const call = posted(url, headers, typeof body === 'string' ? body : body()).finally(() =>
      open.delete(call),
    );
    open.add(call);
    // Otherwise the receiver's list of arrivals grows throughout the run.
    if (n % 1_000 === 0) await receiver.command('forget');
  }
  await Promise.all(open);
  return amount;
}

/** Waits up to 10 minutes until this number of a key's messages were attempted. Returns the seconds that it waited. */
async function untilAttempted(
  site: Site,
  keyId: string,
  messages: number,
  signal: AbortSignal,
): Promise<number> {
  const began = performance.now();
  for (;;) {
    const { rows } = await site.sql.query<{ attempted: number }>(
      'select count(*)::int as attempted from attempt where api_key_id = $1',
      [keyId],
    );
    const waited = (performance.now() - began) / 1_000;
    const attempted = rows[0]?.attempted ?? 0;
    if (attempted >= messages) return waited;
    if (waited > 600) throw new Error(`${String(attempted)} of ${String(messages)} messages were attempted.`);
    await pause(250, undefined, { signal });
  }
}
