import { fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import {
  aDocument,
  calledThrough,
  aTenant,
  withActivityLogs,
  type TestDocument,
  type TestTenant,
} from '../support/factories.ts';
import { eventually } from '../support/eventually.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import type { NeighborCalls, NeighborReport } from './neighbor.ts';

/** An API process of its own, with the memory limits of production, for attacks that may kill it. */
export interface AttackedApi {
  readonly process: TestProcess;
  /** An API in the test's process on the same database, with which a test prepares records. */
  readonly beside: TestApi;
  /** The tenant that attacks, as a client of the attacked process. */
  readonly attacker: TestTenant;
  readonly document: TestDocument;
  /** Runs an attack while another tenant calls, and reports memory and service. */
  attack(title: string, act: Attack): Promise<Damage>;
  readonly close: () => Promise<void>;
}

/** Runs an attack. `neighborServed` resolves when the neighbor has completed this number of further calls. */
export type Attack = (neighborServed: (calls: number) => Promise<void>) => Promise<void>;

/** The effect of an attack. */
export interface Damage {
  /** Peak resident memory since the process started; 0 where the system does not report it. */
  readonly peakResidentMiB: number;
  readonly neighbor: NeighborReport;
}

/** Limits that every attack must respect: see docs/security.md. */
const bounds = {
  residentMiB: 600,
} as const;

/** Starts the process under attack, and a tenant with a document for the attack. */
export async function anAttackedApi(
  environment: Readonly<Record<string, string>> = {},
): Promise<AttackedApi> {
  const beside = await startTestApi();
  const attacked = await startProcess('api', beside.database.url, {
    DATABASE_POOL_SIZE: '10',
    LOG_LEVEL: 'info',
    ...environment,
  });
  const attacker = calledThrough(attacked, await withActivityLogs(await aTenant(beside)));
  const document = await aDocument(attacker);
  const neighborCalls = await callsOfANeighbor(attacked, beside);
  return {
    process: attacked,
    beside,
    attacker,
    document,
    async attack(title, act) {
      const neighbor = await aNeighbor(neighborCalls);
      let report: NeighborReport;
      try {
        await act((calls) => neighbor.served(calls));
      } finally {
        report = await neighbor.stop();
      }
      const damage = { neighbor: report, peakResidentMiB: await peakResident(attacked.pid) };
      show(title, damage);
      return damage;
    },
    async close() {
      await attacked.stop();
      await beside.close();
    },
  };
}

function show(title: string, { peakResidentMiB, neighbor }: Damage): void {
  const { calls, unavailable, p99Ms, slowestMs } = neighbor;
  process.stderr.write(
    `  ${title}: peak ${String(peakResidentMiB)} MiB resident; neighbor: ${String(calls)} calls, ${String(unavailable)} unavailable, ` +
      `p99 ${p99Ms.toFixed(0)} ms, slowest ${slowestMs.toFixed(0)} ms\n`,
  );
}

async function callsOfANeighbor({ url }: TestProcess, beside: TestApi): Promise<NeighborCalls> {
  const neighbor = await withActivityLogs(await aTenant(beside));
  const document = await aDocument(neighbor);
  const activity = { featureType: 'comment', actionType: 'comment.add', actionUser: { userId: 'neighbor' } };
  return {
    url,
    headers: neighbor.headers,
    requests: [
      { path: '/v1/organizations/get', data: { organizationIds: [document.organizationId] } },
      { path: '/v2/activities/add', data: { ...document, activities: [activity] } },
      { path: '/v2/activities/get', data: { ...document, pageSize: 10 } },
    ],
  };
}

/** Messages from the neighbor's process. */
type Message = 'called' | NeighborReport;

interface Neighbor {
  /** Resolves when this number of its further calls have ended. */
  served(calls: number): Promise<void>;
  stop(): Promise<NeighborReport>;
}

/** Resolves when the neighbor has ended a call. */
async function aNeighbor(calls: NeighborCalls): Promise<Neighbor> {
  const { NODE_OPTIONS: _jests, ...env } = process.env;
  const child = fork(fileURLToPath(new URL('neighbor.ts', import.meta.url)), [JSON.stringify(calls)], {
    env,
    execArgv: [],
  });
  let ended = 0;
  const reported = new Promise<NeighborReport>((resolve, reject) => {
    child.on('message', (message: Message) => {
      if (message === 'called') ended += 1;
      else resolve(message);
    });
    child.once('exit', (code) => reject(new Error(`The neighbor ended with ${String(code)} and no report.`)));
  });
  // Awaited when the neighbor is stopped, which reports a neighbor that has ended before.
  reported.catch(() => undefined);
  const served = async (count: number): Promise<void> => {
    const enough = ended + count;
    await eventually(() => ended >= enough);
  };
  await served(1);
  return {
    served,
    async stop() {
      if (child.connected) child.send('stop');
      return reported;
    },
  };
}

/** Returns the peak resident memory of a process in MiB on Linux, and 0 on other systems. */
export async function peakResident(pid: number): Promise<number> {
  return statusMiB(pid, /^VmHWM:\s+(\d+) kB$/m);
}

/** Returns the current resident memory of a process in MiB on Linux, and 0 on other systems. */
export async function resident(pid: number): Promise<number> {
  return statusMiB(pid, /^VmRSS:\s+(\d+) kB$/m);
}

async function statusMiB(pid: number, line: RegExp): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
  return Math.round(Number(line.exec(status)?.[1] ?? 0) / 1_024);
}

/** Expects that the process stayed within its memory and served the neighbor throughout. Durations are only reported. */
export function expectHarmless({ peakResidentMiB, neighbor }: Damage): void {
  expect(neighbor.failures).toEqual([]);
  // 0 on an idle machine. On a slow one, a call may exceed the API's limit on waiting.
  expect(neighbor.unavailable).toBeLessThanOrEqual(neighbor.calls / 10);
  expect(peakResidentMiB).toBeLessThan(bounds.residentMiB);
}
