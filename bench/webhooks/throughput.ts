import { median, type Figure } from '../figure.ts';
import { load, type Target } from '../load.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import { since, spentBy, workersOf, type Spent, type Workers } from './cpu.ts';
import { startFloor, type FloorServer } from './floors.ts';
import type { Receiving } from './receiving.ts';
import { adding, bodyBytes, newTenant } from './tenant.ts';

const callers = 50;
const batch = 100;
/** Microseconds per event: a third of what Svix 1.100 took when it was measured. */
const maxCpu = { servers: 325, postgres: 368 };

interface Flow {
  /** Events per second from the first call to the last response, and to the last arrival. */
  readonly accepted: number;
  readonly delivered: number;
  /** Microseconds per event. */
  readonly cpu: Spent;
}

interface Source {
  readonly target: Target;
  readonly connections: number;
  readonly calls: number;
  readonly events: number;
  readonly workers: Workers;
}

/** Measures accepted and delivered events per second, one per call and in batches, in comparison with a queue in a table and with posts alone. */
export async function measureThroughput(site: Site, run: Run, receiver: Receiving): Promise<Figure[]> {
  const floor = await startFloor(site, receiver.url, run.signal);
  try {
    return await besideFloor(site, run, { receiver, floor });
  } finally {
    await floor.stop();
  }
}

async function besideFloor(
  site: Site,
  run: Run,
  { receiver, floor }: { readonly receiver: Receiving; readonly floor: FloorServer },
): Promise<Figure[]> {
  const events = run.quick ? 2_500 : 5_000;
  const key = await newTenant(site, [{ url: receiver.url }]);
  const ours = await workersOf(site, [site.api.pid, site.worker.pid]);
  const source = (target: Target, size: number, workers: Workers): Source => ({
    target,
    connections: Math.min(callers, events / size),
    calls: events / size,
    events,
    workers,
  });
  const sources = {
    outbox: source(floor.messages, 1, { ...ours, servers: [floor.pid] }),
    singles: source(adding(site, key, `s${String(Date.now())}`, 1), 1, ours),
    batches: source(adding(site, key, `b${String(Date.now())}`, batch), batch, ours),
  };
  const flows: Record<keyof typeof sources, Flow[]> = { outbox: [], singles: [], batches: [] };
  const raw: number[] = [];
  // The first round warms up and does not count.
  for (let round = 0; round <= run.rounds.number; round += 1) {
    const rawRate = await floor.raw(events);
    if (round > 0) raw.push(rawRate);
    for (const name of ['outbox', 'singles', 'batches'] as const) {
      const flow = await flowOf(receiver, sources[name], run.signal);
      if (round > 0) flows[name].push(flow);
    }
  }
  const { bytes } = await receiver.count();
  if (Math.abs(bytes - bodyBytes) > 60) throw new Error(`Bodies have ${String(bytes)} bytes.`);
  return figuresOf(flows, raw);
}

async function flowOf(receiver: Receiving, source: Source, signal: AbortSignal): Promise<Flow> {
  const { target, connections, calls, events, workers } = source;
  await receiver.command('forget');
  const before = spentBy(workers);
  const began = Date.now();
  const rate = await load(target, { connections, amount: calls });
  const { distinct, last } = await receiver.until(events, 120, signal);
  if (distinct < events || last === null)
    throw new Error(`${String(distinct)} of ${String(events)} arrived.`);
  return {
    accepted: (rate * events) / calls,
    delivered: (events * 1_000) / (last - began),
    cpu: since(before, spentBy(workers), events),
  };
}

const medianOf = (flows: readonly Flow[], pick: (flow: Flow) => number): number => median(flows.map(pick));

function figuresOf(
  flows: Readonly<Record<'outbox' | 'singles' | 'batches', readonly Flow[]>>,
  raw: readonly number[],
): Figure[] {
  const { outbox, singles, batches } = flows;
  const rate = (name: string, ours: readonly Flow[], of: 'accepted' | 'delivered'): Figure => ({
    name,
    unit: 'events/s',
    steward: medianOf(ours, (flow) => flow[of]),
    against: { name: 'outbox: a table and a loop', measured: medianOf(outbox, (flow) => flow[of]) },
    ratio: median(ours.map((flow, round) => flow[of] / (outbox[round]?.[of] ?? Number.NaN))),
    target: { of: 'ratio', is: 'at least', value: 0.7 },
  });
  const cpu = (name: string, ours: readonly Flow[], part: keyof Spent): Figure => ({
    name,
    unit: 'µs',
    steward: medianOf(ours, (flow) => flow.cpu[part]),
    ...(part !== 'temporal' && {
      against: { name: 'outbox: a table and a loop', measured: medianOf(outbox, (flow) => flow.cpu[part]) },
      target: { of: 'measured', is: 'at most', value: maxCpu[part] },
    }),
  });
  return [
    rate('events accepted, one per call', singles, 'accepted'),
    rate('events delivered, one per call', singles, 'delivered'),
    rate(`events accepted, ${String(batch)} per call`, batches, 'accepted'),
    {
      ...rate(`events delivered, ${String(batch)} per call`, batches, 'delivered'),
    },
    {
      name: `events delivered, ${String(batch)} per call`,
      unit: 'events/s',
      steward: medianOf(batches, ({ delivered }) => delivered),
      against: { name: 'raw: signed posts alone', measured: median(raw) },
      ratio: medianOf(batches, ({ delivered }) => delivered) / median(raw),
    },
    ...(['singles', 'batches'] as const).flatMap((name) => {
      const how = name === 'singles' ? 'one per call' : `${String(batch)} per call`;
      return [
        cpu(`CPU of API and worker per event, ${how}`, flows[name], 'servers'),
        cpu(`CPU of PostgreSQL per event, ${how}`, flows[name], 'postgres'),
        cpu(`CPU of Temporal per event, ${how}`, flows[name], 'temporal'),
      ];
    }),
  ];
}
