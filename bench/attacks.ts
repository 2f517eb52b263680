import { setTimeout as pause } from 'node:timers/promises';
import { aNeighbor, neighborCalls } from '../test/attacks/neighbor-process.ts';
import type { NeighborCalls, NeighborReport } from '../test/attacks/neighbor.ts';
import { attackLimits, type Scene, type Stage, type Target } from '../test/attacks/scene.ts';
import { annotations } from '../test/attacks/scenes/annotations.ts';
import { bodies } from '../test/attacks/scenes/bodies.ts';
import { connections } from '../test/attacks/scenes/connections.ts';
import { crdt } from '../test/attacks/scenes/crdt.ts';
import { parsing } from '../test/attacks/scenes/parsing.ts';
import { providers } from '../test/attacks/scenes/providers.ts';
import { responses } from '../test/attacks/scenes/responses.ts';
import { sustained } from '../test/attacks/scenes/sustained.ts';
import { updates } from '../test/attacks/scenes/updates.ts';
import { aClient } from '../test/support/client.ts';
import { aDocument, withActivityLogs } from '../test/support/factories.ts';
import type { Figure } from './figure.ts';
import { residentOf } from './process.ts';
import type { Bench, Run } from './run.ts';
import type { RunningApi, Site } from './site.ts';

/** Seconds from the end of an attack until the memory that the API then has. */
const restSeconds = { full: 60, quick: 5 } as const;
const betweenLooksMs = 20;

/**
 * Plays the attacks of test/attacks, those on the same records on an API process of their own. Measures the calls of
 * another tenant meanwhile, the API's max memory, and the memory that it has a minute later. Throws when the API does
 * not survive, or does not serve the other tenant.
 */
export const playAttacks: Bench = async (site, run) => {
  const full = !run.quick;
  const credentials = full
    ? (['no credentials', 'wrong credentials', 'right credentials'] as const)
    : (['right credentials'] as const);
  const stages = [
    annotations(full),
    bodies(full, credentials),
    connections(full),
    crdt(full),
    parsing(full),
    providers(full),
    responses(full),
    updates(full),
    sustained(full),
  ];
  const figures: Figure[] = [];
  for (const stage of stages) figures.push(...(await playStage(site, stage, run)));
  return figures;
};

async function playStage(
  site: Site,
  { environment = {}, reconnects, prepare, scenes }: Stage,
  run: Run,
): Promise<Figure[]> {
  const api = await site.startApi(environment);
  try {
    const callers = await Promise.all([aCaller(site, api), aCaller(site, api)]);
    const [attacker, neighbor] = callers;
    const target: Target = {
      url: api.url,
      attacker,
      document: await aDocument(attacker),
      sql: async <Row extends object>(statement: string, parameters: readonly unknown[] = []) =>
        (await site.sql.query<Row>(statement, [...parameters])).rows,
    };
    const calls = neighborCalls(api.url, neighbor, await aDocument(neighbor), reconnects);
    await prepare?.(target);
    const figures: Figure[] = [];
    for (const scene of scenes) figures.push(...(await playScene(api, target, calls, scene, run)));
    return figures;
  } finally {
    await api.stop();
  }
}

async function aCaller(site: Site, { url }: RunningApi): Promise<Target['attacker']> {
  const { headers } = await site.newKey();
  return await withActivityLogs(aClient(url, headers));
}

async function playScene(
  { pid }: RunningApi,
  target: Target,
  calls: NeighborCalls,
  scene: Scene,
  { quick, show, signal }: Run,
): Promise<Figure[]> {
  show(`Attack: ${scene.title} …`);
  await scene.prepare?.(target);
  const neighbor = await aNeighbor(calls);
  let most = 0;
  const look = (): void => void (most = Math.max(most, residentOf(pid) ?? 0));
  const looking = setInterval(look, betweenLooksMs);
  let report: NeighborReport;
  try {
    await scene.attack(target, (further) => neighbor.served(further));
  } finally {
    clearInterval(looking);
    report = await neighbor.stop();
  }
  look();
  if (report.failures.length > 0)
    throw new Error(`Calls of another tenant failed during ${scene.title}: ${report.failures.join('; ')}`);
  if (report.unavailable > 0)
    show(`Refused calls of another tenant: ${String(report.unavailable)} of ${String(report.calls)}.`);
  const seconds = quick ? restSeconds.quick : restSeconds.full;
  await pause(seconds * 1_000, undefined, { signal });
  const { slowestMs, residentMiB } = attackLimits;
  const atMost = (value: number) => ({ of: 'measured', is: 'at most', value }) as const;
  const name = `attack, ${scene.title}`;
  return [
    { name: `${name}: p99 of another tenant`, unit: 'ms', steward: report.p99Ms },
    {
      name: `${name}: slowest call of another tenant`,
      unit: 'ms',
      steward: report.slowestMs,
      target: atMost(slowestMs),
    },
    { name: `${name}: max memory of the API`, unit: 'MB', steward: most, target: atMost(residentMiB) },
    {
      name: `${name}: memory of the API ${String(seconds)} s later`,
      unit: 'MB',
      steward: residentOf(pid) ?? Number.NaN,
    },
  ];
}
