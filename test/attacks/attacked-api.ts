import { readFile } from 'node:fs/promises';
import { expect } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import {
  aDocument,
  calledThrough,
  aTenant,
  withActivityLogs,
  type TestTenant,
} from '../support/factories.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { aNeighbor, neighborCalls } from './neighbor-process.ts';
import type { NeighborReport } from './neighbor.ts';
import { attackLimits, type Attack, type Scene, type Stage, type Target } from './scene.ts';

/** An API process of its own, with the memory limits of production, for attacks that may kill it. */
export interface AttackedApi extends Target {
  readonly process: TestProcess;
  /** An API in the test's process on the same database, with which a test prepares records. */
  readonly beside: TestApi;
  /** The tenant that attacks, as a client of the attacked process. */
  readonly attacker: TestTenant;
  /** Runs an attack while another tenant calls, and reports memory and service. */
  attack(title: string, act: Attack): Promise<Damage>;
  /** Prepares a scene and runs its attack. */
  play(scene: Scene): Promise<Damage>;
  readonly close: () => Promise<void>;
}

/** The effect of an attack. */
export interface Damage {
  /** Peak resident memory since the process started; 0 where the system does not report it. */
  readonly peakResidentMiB: number;
  readonly neighbor: NeighborReport;
}

/** Starts the process under attack, and a tenant with a document for the attack. */
export async function anAttackedApi({
  environment,
  reconnects,
}: Pick<Stage, 'environment' | 'reconnects'> = {}): Promise<AttackedApi> {
  const beside = await startTestApi();
  const attacked = await startProcess('api', beside.database.url, {
    DATABASE_POOL_SIZE: '10',
    LOG_LEVEL: 'info',
    ...environment,
  });
  const attacker = calledThrough(attacked, await withActivityLogs(await aTenant(beside)));
  const document = await aDocument(attacker);
  const neighbor = await withActivityLogs(await aTenant(beside));
  const calls = neighborCalls(attacked.url, neighbor, await aDocument(neighbor), reconnects);
  const attack = async (title: string, act: Attack): Promise<Damage> => {
    const caller = await aNeighbor(calls);
    let report: NeighborReport;
    try {
      await act((further) => caller.served(further));
    } finally {
      report = await caller.stop();
    }
    const damage = { neighbor: report, peakResidentMiB: await peakResident(attacked.pid) };
    show(title, damage);
    return damage;
  };
  const target: Target = {
    url: attacked.url,
    attacker,
    document,
    sql: async (statement, parameters) => await beside.database.sql(statement, parameters),
  };
  return {
    ...target,
    process: attacked,
    beside,
    attacker,
    attack,
    async play(scene) {
      await scene.prepare?.(target);
      return await attack(scene.title, async (neighborServed) => await scene.attack(target, neighborServed));
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

/** Returns the peak resident memory of a process in MiB on Linux, and 0 on other systems. */
export async function peakResident(pid: number): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024);
}

/** Expects that the process stayed within its memory and served the neighbor throughout. Durations are only reported. */
export function expectHarmless({ peakResidentMiB, neighbor }: Damage): void {
  expect(neighbor.failures).toEqual([]);
  // 0 on an idle machine. On a slow one, calls may exceed the API's limits, and there may be few calls.
  expect(neighbor.unavailable).toBeLessThanOrEqual(Math.max(3, neighbor.calls / 10));
  expect(peakResidentMiB).toBeLessThan(attackLimits.residentMiB);
}
