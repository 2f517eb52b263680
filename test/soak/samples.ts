import { readdir } from 'node:fs/promises';
import { Client } from 'pg';
import { residentOf } from '../../bench/process.ts';
import type { SoakedSteward } from './steward.ts';

/** A sample of the processes and the database. Values of unavailable ones are absent. */
export interface Sample {
  /** Milliseconds since the run began. */
  readonly atMs: number;
  readonly values: Readonly<Partial<Record<Measure, number>>>;
}

/** The sampled values, each with the increase that counts as growth. */
export const measures = {
  'API, resident MB': { slack: 60 },
  'worker, resident MB': { slack: 60 },
  'supervisor, resident MB': { slack: 30 },
  'Temporal, resident MB': { slack: 150 },
  'API, open files': { slack: 50 },
  'worker, open files': { slack: 50 },
  'PostgreSQL, connections': { slack: 10 },
  'PostgreSQL, partitions': { slack: 16 },
  'outbox, oldest s': { slack: 60 },
  'deliveries due, oldest s': { slack: 60 },
  'database, MB': { slack: undefined },
} as const;
export type Measure = keyof typeof measures;

const databaseState = `
  select
    (select count(*) from pg_stat_activity where datname = current_database())::float8 as "PostgreSQL, connections",
    (select count(*) from pg_inherits)::float8 as "PostgreSQL, partitions",
    (select coalesce(extract(epoch from now() - min(event_at)), 0) from outbox)::float8 as "outbox, oldest s",
    (select greatest(coalesce(extract(epoch from now() - min(next_at)), 0), 0) from delivery where status = 0)::float8
      as "deliveries due, oldest s",
    (pg_database_size(current_database()) / 1048576)::float8 as "database, MB"`;

export async function takeSample(steward: SoakedSteward, began: number): Promise<Sample> {
  const { pids, databaseUrl } = await steward.current();
  const found: [Measure, number | undefined][] = [
    ['API, resident MB', residentOf(pids.api)],
    ['worker, resident MB', residentOf(pids.worker)],
    ['supervisor, resident MB', residentOf(pids.supervisor)],
    ['Temporal, resident MB', pids.temporal === null ? undefined : residentOf(pids.temporal)],
    ['API, open files', await openFilesOf(pids.api)],
    ['worker, open files', await openFilesOf(pids.worker)],
  ];
  const known = found.filter(([, value]) => value !== undefined);
  const inDatabase = await queryOnce<Partial<Record<Measure, number>>>(databaseUrl, databaseState);
  return { atMs: Date.now() - began, values: { ...Object.fromEntries(known), ...inDatabase } };
}

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

export const valuesOf = (samples: readonly Sample[], measure: Measure): number[] =>
  samples.flatMap(({ values: { [measure]: value } }) => (value === undefined ? [] : [value]));

export function median(numbers: readonly number[]): number | undefined {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** Milliseconds: in shorter runs, caches and heaps are still filling. */
const judgedFromMs = 20 * 60_000;

/** Returns the growth from the second quarter of the run to the last one, by medians, which a restart hardly affects. */
export function growthOf(
  samples: readonly Sample[],
  measure: Measure,
  durationMs: number,
): string | undefined {
  const { slack } = measures[measure];
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
