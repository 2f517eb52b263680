import { readFileSync, readdirSync } from 'node:fs';
import { cpuOf } from '../process.ts';
import type { Site } from '../site.ts';

/** CPU microseconds that the processes of each component have used since they started. */
export interface Spent {
  readonly servers: number;
  readonly postgres: number;
  readonly temporal: number;
}

/** The processes of Steward: API and worker, PostgreSQL with all of its backends, and Temporal. */
export interface Workers {
  readonly servers: readonly number[];
  readonly postmaster: number;
  readonly temporal: number;
}

export async function workersOf(site: Site, servers: readonly number[]): Promise<Workers> {
  const { rows } = await site.sql.query<{ pid: number }>('select pg_backend_pid() as pid');
  return { servers, postmaster: parentOf(rows[0]?.pid ?? 0), temporal: site.temporal.pid };
}

/** Zeros where the system does not report it. */
export function spentBy({ servers, postmaster, temporal }: Workers): Spent {
  const sum = (pids: readonly number[]): number => pids.reduce((total, pid) => total + (cpuOf(pid) ?? 0), 0);
  return {
    servers: sum(servers),
    postgres: sum([postmaster, ...childrenOf(postmaster)]),
    temporal: sum([temporal]),
  };
}

export const since = (before: Spent, after: Spent, events: number): Spent => ({
  servers: (after.servers - before.servers) / events,
  postgres: (after.postgres - before.postgres) / events,
  temporal: (after.temporal - before.temporal) / events,
});

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}

function childrenOf(parent: number): number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => Number.isInteger(pid) && parentOf(pid) === parent);
  } catch {
    return [];
  }
}
