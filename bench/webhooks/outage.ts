import { setTimeout as pause } from 'node:timers/promises';
import type { Figure } from '../figure.ts';
import { load } from '../load.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import type { Receiving } from './receiving.ts';
import { adding, newTenant } from './tenant.ts';

const messages = 1_000;
const callers = 50;
const outage = 20_000;
/** Max seconds from the receiver's return to the last arrival: no user waits for a retry delay of minutes. */
const maxSeconds = 60;

/** Stops a receiver for 20 s while 1,000 messages are sent. Measures the seconds from its return until they have arrived. */
export async function measureOutage(site: Site, run: Run, receiver: Receiving): Promise<Figure[]> {
  const key = await newTenant(site, [{ url: receiver.url }]);
  await receiver.command('forget');
  await receiver.command('down');
  const began = Date.now();
  await load(adding(site, key, `u${String(Date.now())}`, 1), { connections: callers, amount: messages });
  await pause(began + outage - Date.now(), undefined, { signal: run.signal });
  const back = Date.now();
  await receiver.command('up');
  await receiver.until(messages, run.quick ? 60 : 400, run.signal);
  const arrivals = await receiver.arrivals();
  const waits = arrivals.map(({ at }) => (at - back) / 1_000).sort((a, b) => a - b);
  const name = `${messages.toLocaleString('en-US')} messages waiting when a receiver returns after ${String(outage / 1_000)} s`;
  const atMost = { of: 'measured', is: 'at most', value: maxSeconds } as const;
  return [
    {
      name: `${name}: p50 of the wait`,
      unit: 's',
      steward: waits[Math.floor(messages / 2)] ?? Infinity,
      target: atMost,
    },
    { name: `${name}: the last`, unit: 's', steward: waits[messages - 1] ?? Infinity, target: atMost },
  ];
}
