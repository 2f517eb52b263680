import { setTimeout as pause } from 'node:timers/promises';
import { median, type CpuPerRequest, type Figure, type Target as Aim } from './figure.ts';
import { load, type Target } from './load.ts';
import { cpuOf } from './process.ts';
import type { Bench, Run } from './run.ts';
import type { Site } from './site.ts';

/** A call to Steward and its baselines: the same call to minimal servers (floors), or another call. */
export interface Comparison {
  readonly name: string;
  readonly connections: number;
  readonly steward: Target;
  readonly against: readonly Rival[];
}

interface Rival {
  readonly name: string;
  readonly target: Target;
  readonly aim?: Aim;
  /** The processes whose CPU time is measured; default: the floors. */
  readonly by?: 'steward' | 'floor' | { readonly pid: number; readonly application: string };
  /** How the ratio is shown: rates, or how many times longer a call takes. Default: rates. */
  readonly shownAs?: 'rates' | 'times';
}

interface Measured {
  readonly rate: number;
  readonly cpu: CpuPerRequest | undefined;
}

/** Returns a bench that runs comparisons one after the other. */
export const comparing =
  (prepare: (site: Site, run: Run) => readonly Comparison[] | Promise<readonly Comparison[]>): Bench =>
  async (site, run) => {
    const figures: Figure[] = [];
    for (const comparison of await prepare(site, run)) {
      run.show(`${comparison.name} …`);
      figures.push(...(await compare(site, comparison, run)));
    }
    return figures;
  };

/** Measures Steward and its baselines in alternating rounds, so that a disturbance of the machine affects all of them. */
export async function compare(
  site: Site,
  comparison: Comparison,
  run: Pick<Run, 'rounds' | 'signal'>,
): Promise<Figure[]> {
  const { connections, steward, against } = comparison;
  const { rounds, signal } = run;
  const ourselves = { pid: site.api.pid, application: 'steward' };
  const floor = { pid: site.floor.pid, application: 'bench-floor' };
  const subjects = [
    { target: steward, ...ourselves },
    ...against.map(({ target, by = 'floor' }) => ({
      target,
      ...(by === 'floor' ? floor : by === 'steward' ? ourselves : by),
    })),
  ];
  const amounts: number[] = [];
  for (const { target } of subjects) amounts.push(await amountFor(target, connections, rounds));
  const measured: Measured[][] = subjects.map(() => []);
  for (let round = 0; round < rounds.number; round += 1) {
    for (const [index, subject] of subjects.entries()) {
      signal.throwIfAborted();
      const work = { connections, amount: amounts[index] ?? connections };
      measured[index]?.push(await measure(site, subject, work));
    }
  }
  const [ours = [], ...theirs] = measured;
  return against.map((rival, index) => figureOf(comparison, rival, ours, theirs[index] ?? []));
}

function figureOf(
  { name, connections }: Comparison,
  { name: rival, aim, shownAs = 'rates' }: Rival,
  ours: readonly Measured[],
  its: readonly Measured[],
): Figure {
  const cpu = bothCpus(ours, its);
  const shown = (rate: number): number => (shownAs === 'rates' ? rate : (connections * 1_000) / rate);
  const ratio = (rate: number, other: number): number => shown(rate) / shown(other);
  return {
    name,
    unit: shownAs === 'rates' ? 'req/s' : 'ms',
    steward: shown(median(ours.map(({ rate }) => rate))),
    against: { name: rival, measured: shown(median(its.map(({ rate }) => rate))) },
    ratio: median(ours.map(({ rate }, round) => ratio(rate, its[round]?.rate ?? Number.NaN))),
    ...(aim !== undefined && { target: aim }),
    ...(cpu !== undefined && { cpu }),
  };
}

/** Warms up and returns the number of requests of a round: a fixed number, so that CPU time divides exactly. */
async function amountFor(target: Target, connections: number, { seconds }: Run['rounds']): Promise<number> {
  await load(target, { connections, amount: connections });
  const probe = await load(target, { connections, amount: connections * 2 });
  const rate = await load(target, {
    connections,
    amount: Math.max(connections, Math.round(probe * seconds)),
  });
  // Each connection sends the same number of requests, so that none is idle at the end.
  return connections * Math.max(2, Math.round((rate * seconds) / connections));
}

/** A server under load; `application` names its connections to PostgreSQL. */
export interface Subject {
  readonly target: Target;
  readonly pid: number;
  readonly application: string;
}

/** Sends one round of requests. */
export async function measure(
  site: Site,
  { target, pid, application }: Subject,
  work: { readonly connections: number; readonly amount: number },
): Promise<Measured> {
  const [server, backends] = [cpuOf(pid), await backendsCpu(site, application)];
  const rate = await load(target, work);
  const [serverAfter, backendsAfter] = [cpuOf(pid), await backendsCpu(site, application)];
  // Wait, so that the next subject starts on an idle machine.
  await pause(100);
  if (server === undefined || serverAfter === undefined) return { rate, cpu: undefined };
  let postgres = 0;
  for (const [backend, used] of backendsAfter) postgres += used - (backends.get(backend) ?? 0);
  return { rate, cpu: { server: (serverAfter - server) / work.amount, postgres: postgres / work.amount } };
}

/** Returns the CPU microseconds of each connection's process by its id. */
async function backendsCpu(site: Site, application: string): Promise<ReadonlyMap<number, number>> {
  const { rows } = await site.sql.query<{ pid: number }>(
    'select pid from pg_stat_activity where application_name = $1',
    [application],
  );
  return new Map(rows.map(({ pid }) => [pid, cpuOf(pid) ?? 0]));
}

function bothCpus(ours: readonly Measured[], its: readonly Measured[]): Figure['cpu'] {
  const [steward, against] = [ours, its].map((measured) => {
    const known = measured.map(({ cpu }) => cpu).filter((cpu) => cpu !== undefined);
    if (known.length === 0) return undefined;
    return {
      server: median(known.map(({ server }) => server)),
      postgres: median(known.map(({ postgres }) => postgres)),
    };
  });
  return steward === undefined || against === undefined ? undefined : { steward, against };
}
