import { setTimeout as pause } from 'node:timers/promises';
import type { Figure } from '../figure.ts';
import { load } from '../load.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import type { Receiving } from './receiving.ts';
import { activities, bodyOf, newTenant, type Endpoint } from './tenant.ts';

/** Events of one call, and concurrent calls. */
const [batch, callers] = [100, 10];

interface Case {
  readonly name: string;
  readonly endpoints: readonly Omit<Endpoint, 'url'>[];
  readonly events: number;
  /** Messages of one event. */
  readonly messages: number;
  readonly actionType: (event: number) => string;
  /** Events per second. */
  readonly min: number;
}

const typeOf = (n: number): string => `type.${String(n)}`;

const cases = (quick: boolean): readonly Case[] => [
  {
    name: 'each event for one of 1,000 endpoints',
    endpoints: Array.from({ length: 1_000 }, (_, n) => ({ filterTypes: [typeOf(n)] })),
    events: quick ? 10_000 : 30_000,
    messages: 1,
    actionType: (event) => typeOf(event % 1_000),
    min: 3_000,
  },
  {
    name: 'each event for 100 endpoints',
    endpoints: Array.from({ length: 100 }, () => ({})),
    events: quick ? 2_000 : 6_000,
    messages: 100,
    actionType: () => 'comment.add',
    min: 400,
  },
];

/**
 * Events of one key per second, from the first call to the last message of the last event. Deliveries are paused: these
 * figures are of creating messages, not of sending them.
 */
export async function measureFanOut(site: Site, run: Run, receiver: Receiving): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const one of cases(run.quick)) {
    run.show(`${one.name} …`);
    const rate = await rateOf(site, run, receiver, one);
    figures.push({
      name: `events dispatched, ${one.name}`,
      unit: 'events/s',
      steward: rate,
      target: { of: 'measured', is: 'at least', value: one.min },
    });
  }
  return figures;
}

async function rateOf(
  site: Site,
  run: Run,
  receiver: Receiving,
  { endpoints, events, messages, actionType }: Case,
): Promise<number> {
  const key = await newTenant(
    site,
    endpoints.map((endpoint) => ({ url: receiver.url, ...endpoint })),
  );
  await site.sql.query('insert into webhook_pause (api_key_id, endpoint_id) values ($1, 0)', [key.id]);
  let next = 0;
  const body = (): string => {
    const first = next;
    next += batch;
    return bodyOf(
      activities('f', first, batch).map((record, n) => ({ ...record, actionType: actionType(first + n) })),
    );
  };
  const began = performance.now();
  const target = { url: `${site.api.url}/v2/activities/add`, headers: key.headers, body };
  await load(target, { connections: callers, amount: events / batch });
  await untilNumbered(site, key.id, events * messages, run.signal);
  return (events * 1_000) / (performance.now() - began);
}

/** Waits up to 10 minutes until this number of a key's messages have sequence numbers. */
async function untilNumbered(
  site: Site,
  keyId: string,
  messages: number,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + 600_000;
  for (;;) {
    const { rows } = await site.sql.query<{ made: number }>(
      `select sum(next_sequence - 1)::int as made from webhook_endpoint where api_key_id = $1
         and not exists (select from outbox where api_key_id = $1)`,
      [keyId],
    );
    const made = rows[0]?.made ?? 0;
    if (made === messages) return;
    if (made > messages) throw new Error(`${String(made)} messages instead of ${String(messages)}.`);
    if (performance.now() > until) throw new Error(`${String(made)} of ${String(messages)} messages.`);
    await pause(20, undefined, { signal });
  }
}
