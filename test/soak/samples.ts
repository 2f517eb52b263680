import { readdir } from 'node:fs/promises';
import { Client } from 'pg';
import { residentOf } from '../../bench/process.ts';

/** A sample of the processes and the database. */
export interface Sample {
  /** Milliseconds since the run began. */
  readonly atMs: number;
  /** By measure, such as `API, resident MB`. Those of unavailable processes are absent. */
  readonly values: Readonly<Record<string, number>>;
}

/** What a run samples. */
export interface Sampled {
  /** Process ids by name; null: not running. */
  readonly processes: Readonly<Record<string, number | null>>;
  /** URLs of metrics by name. */
  readonly metricsUrls?: Readonly<Record<string, string>>;
  readonly databaseUrl: string;
}

/** The increase that counts as growth, by measure. Others are shown only. */
const slacks: Readonly<Record<string, number>> = {
  'API, resident MB': 60,
  'worker, resident MB': 60,
  'supervisor, resident MB': 30,
  'Temporal, resident MB': 150,
  'API, open files': 50,
  'worker, open files': 50,
  'PostgreSQL, connections': 10,
  'PostgreSQL, partitions': 16,
  'outbox, oldest s': 60,
  'deliveries due, oldest s': 60,
};

const databaseState = `
  select
    (select count(*) from pg_stat_activity where datname = current_database())::float8 as "PostgreSQL, connections",
    (select count(*) from pg_inherits)::float8 as "PostgreSQL, partitions",
    (select coalesce(extract(epoch from now() - min(event_at)), 0) from outbox)::float8 as "outbox, oldest s",
    (select greatest(coalesce(extract(epoch from now() - min(next_at)), 0), 0) from delivery where status = 0)::float8
      as "deliveries due, oldest s",
    (pg_database_size(current_database()) / 1048576)::float8 as "database, MB"`;

export async function takeSample(
  { processes, metricsUrls = {}, databaseUrl }: Sampled,
  began: number,
): Promise<Sample> {
  const values: Record<string, number> = {};
  for (const [name, pid] of Object.entries(processes)) {
    if (pid === null) continue;
    const found = { 'resident MB': residentOf(pid), 'open files': await openFilesOf(pid) };
    for (const [measure, value] of Object.entries(found))
      if (value !== undefined) values[`${name}, ${measure}`] = value;
  }
  for (const [name, url] of Object.entries(metricsUrls)) {
    const heap = await heapMegabytes(url);
    if (heap !== undefined) values[`${name}, heap MB`] = heap;
  }
  const inDatabase = await queryOnce<Record<string, number>>(databaseUrl, databaseState);
  return { atMs: Date.now() - began, values: { ...values, ...inDatabase } };
}

/** Undefined while the process does not respond. */
async function heapMegabytes(url: string): Promise<number | undefined> {
  try {
    const text = await (await fetch(url, { signal: AbortSignal.timeout(2_000) })).text();
    const bytes = /^steward_process_heap_used_bytes\S* (\d+)/m.exec(text)?.[1];
    return bytes === undefined ? undefined : Number(bytes) / 1_048_576;
  } catch {
    return undefined;
  }
}

export const measuresIn = (samples: readonly Sample[]): string[] => [
  ...new Set(samples.flatMap(({ values }) => Object.keys(values))),
];

/** Returns the row of a statement; undefined while PostgreSQL is unavailable. */
export async function queryOnce<Row extends object>(url: string, sql: string): Promise<Row | undefined> {
  const client = new Client({
    connectionString: url,
    application_name: 'soak',
    options: '-c statement_timeout=0 -c enable_seqscan=on',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(sql)).rows[0];
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function openFilesOf(pid: number): Promise<number | undefined> {
  try {
    // A killed process that is not yet replaced has no memory.
    return (await readdir(`/proc/${String(pid)}/fd`)).length || undefined;
  } catch {
    // The process has ended, or the system is not Linux.
    return undefined;
  }
}

export const valuesOf = (samples: readonly Sample[], measure: string): number[] =>
  samples.flatMap(({ values: { [measure]: value } }) => (value === undefined ? [] : [value]));

export function median(numbers: readonly number[]): number | undefined {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** Milliseconds: in shorter runs, caches and heaps are still filling. */
const judgedFromMs = 20 * 60_000;

/** Returns the growth from the second quarter of the run to the last one, by medians, which a restart hardly affects. */
export function growthOf(
  samples: readonly Sample[],
  measure: string,
  durationMs: number,
): string | undefined {
  const slack = slacks[measure];
  if (slack === undefined || durationMs < judgedFromMs) return undefined;
  const between = (from: number, to: number): number | undefined =>
    median(
      valuesOf(
        samples.filter(({ atMs }) => atMs >= from * durationMs && atMs < to * durationMs),
        measure,
      ),
    );
  const [before, after] = [between(0.25, 0.5), between(0.75, 1)];
  if (before === undefined || after === undefined || after <= before * 1.2 + slack) return undefined;
  return `${measure} grew from ${before.toFixed(0)} to ${after.toFixed(0)}`;
}

const minuteMs = 60_000;
/** The end of a run, under constant load and without restarts. */
const steadyMs = 20 * minuteMs;
/** Longer than garbage collections are apart, between which resident memory swings by 10 %. */
const windowMs = 5 * minuteMs;
/** The part of a steady growth that lies between the middles of the first and the last window. */
const seenShare = (steadyMs - windowMs) / steadyMs;
/** Max growth of the memory of a process of Steward in the last 20 minutes, as a share. */
const maxGrowth = 0.05;
/** Max connections beyond the most of the first half: pools open some for a burst, and close them when idle. */
const maxConnections = 5;

/**
 * Returns the growth of memory between the medians of the first and the last 5 of the last 20 minutes, or that of
 * connections between the most of the first half and of the last 5 minutes.
 */
export function growthAtTheEnd(
  samples: readonly Sample[],
  measure: string,
  durationMs: number,
): string | undefined {
  if (durationMs < steadyMs) return undefined;
  if (measure === 'PostgreSQL, connections') return growthOfConnections(samples, measure, durationMs);
  if (!/^(api|worker)-\d, resident MB$/.test(measure)) return undefined;
  const around = (fromMs: number): number | undefined =>
    median(
      valuesOf(
        samples.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + windowMs),
        measure,
      ),
    );
  const [before, after] = [around(durationMs - steadyMs), around(durationMs - windowMs)];
  if (before === undefined || after === undefined) return undefined;
  if (after - before <= before * maxGrowth * seenShare) return undefined;
  return `${measure} grew from ${before.toFixed(0)} to ${after.toFixed(0)} between the first and the last 5 of the last 20 minutes`;
}

function growthOfConnections(
  samples: readonly Sample[],
  measure: string,
  durationMs: number,
): string | undefined {
  const most = (fromMs: number, toMs: number): number =>
    Math.max(
      0,
      ...valuesOf(
        samples.filter(({ atMs }) => atMs >= fromMs && atMs < toMs),
        measure,
      ),
    );
  const [before, after] = [most(0, durationMs / 2), most(durationMs - windowMs, durationMs)];
  if (after - before <= maxConnections) return undefined;
  return `${measure} grew from ${before.toFixed(0)} in the first half to ${after.toFixed(0)} in the last 5 minutes`;
}
