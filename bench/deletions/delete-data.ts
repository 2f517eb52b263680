import { setTimeout as pause } from 'node:timers/promises';
import { median, type Figure } from '../figure.ts';
import { withoutIndexes } from '../large-table.ts';
import { residentOf } from '../process.ts';
import type { Bench } from '../run.ts';
import type { Site } from '../site.ts';
import { makeRequests, type OrdinaryRequests } from './ordinary-requests.ts';
import { deleteBare, loadCrowd, makeWorld, type Crowd, type DeletionWorld } from './world.ts';

const efforts = {
  full: { rows: 1_000_000, few: 10_000, users: 1_000, rounds: 2, idle: 5_000 },
  quick: { rows: 100_000, few: 1_000, users: 100, rounds: 3, idle: 2_000 },
} as const;

const rowsOfEach = 100;
const betweenPolls = 50;

/** Measures user data deletions from the call to `completed`, in alternation with one bare DELETE of the same number of rows. */
export const deleteData: Bench = async (site, { quick, show, signal }) => {
  const { rows, few, users, rounds, idle } = quick ? efforts.quick : efforts.full;
  const world = await makeWorld(site);
  const one = (name: string, rowsEach: number): Crowd => ({ userIds: [name], rowsEach });
  const many = (name: string): Crowd => ({
    userIds: Array.from({ length: users }, (_, n) => `${name}-${String(n)}`),
    rowsEach: rowsOfEach,
  });
  const turns = Array.from({ length: rounds }, (_, round) => String(round));
  const pairs = {
    ofOne: turns.map((round) => [one(`one-bare-${round}`, rows), one(`one-${round}`, rows)] as const),
    ofMany: turns.map((round) => [many(`many-bare-${round}`), many(`many-${round}`)] as const),
  };
  const little = one('little', few);
  show(
    `Loading activity logs of users to delete: ${String(rounds * 2)} × ${label(rows)}, and the same number of many users …`,
  );
  await withoutIndexes(site.sql, ['activity'], async () => {
    for (const crowd of [...pairs.ofOne.flat(), ...pairs.ofMany.flat(), little]) {
      signal.throwIfAborted();
      await loadCrowd(site, world, crowd);
    }
  });
  await site.sql.query('checkpoint');
  show('Deleting them …');
  // This run also loads the worker's code into memory.
  const memoryOfFew = (await deleteBySteward(site, world, little, signal)).memory;
  const requests = makeRequests(site);
  try {
    await pause(idle, undefined, { signal });
    const quiet = requests.p99();
    const ofOne = await compareAll(site, world, pairs.ofOne, requests, signal);
    const ofMany = await compareAll(site, world, pairs.ofMany, requests, signal);
    const name = `deletion of ${label(rows)} rows of one user among ${label((rows * 6) / 5)}`;
    return [
      timeFigure(name, 'one DELETE', ofOne, 2),
      {
        name: `${name}: p99 of other requests meanwhile`,
        unit: 'ms',
        steward: median(ofOne.map(({ p99 }) => p99)),
        against: { name: 'idle', measured: quiet },
        ratio: median(ofOne.map(({ p99 }) => p99 / quiet)),
        target: { of: 'ratio', is: 'at most', value: 3 },
      },
      timeFigure(
        `deletion of ${String(users)} users with ${String(rowsOfEach)} rows each`,
        'one DELETE … USING',
        ofMany,
        3,
      ),
      ...memoryFigure(rows, few, memoryOfFew, ofOne),
    ];
  } finally {
    await requests.stop();
  }
};

const label = (rows: number): string =>
  rows >= 1_000_000 ? `${String(rows / 1_000_000)} M` : `${String(rows / 1_000)} k`;

interface Deletion {
  readonly seconds: number;
  /** Max megabytes of the worker during the deletion; undefined where the system does not report them. */
  readonly memory: number | undefined;
}

export interface Compared extends Deletion {
  readonly bare: number;
  readonly p99: number;
}

async function compareAll(
  site: Site,
  world: DeletionWorld,
  pairs: readonly (readonly [Crowd, Crowd])[],
  requests: OrdinaryRequests,
  signal: AbortSignal,
): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const [bareCrowd, crowd] of pairs) {
    signal.throwIfAborted();
    const bare = await deleteBare(site, world, bareCrowd);
    requests.p99();
    const deletion = await deleteBySteward(site, world, crowd, signal);
    compared.push({ ...deletion, bare, p99: requests.p99() });
  }
  return compared;
}

export async function deleteBySteward(
  site: Site,
  { key: { steward } }: Pick<DeletionWorld, 'key'>,
  { userIds, rowsEach }: Crowd,
  signal: AbortSignal,
  kind: 'activities' | 'comments' = 'activities',
): Promise<Deletion> {
  let memory = residentOf(site.worker.pid);
  const began = performance.now();
  const { data } = await steward.users.data.delete({ userIds: [...userIds] });
  for (;;) {
    await pause(betweenPolls, undefined, { signal });
    const now = residentOf(site.worker.pid);
    if (memory !== undefined && now !== undefined) memory = Math.max(memory, now);
    const { rows } = await site.sql.query<{ seconds: number; deleted: number }>(
      `select extract(epoch from ended_at - created_at)::float8 as seconds, (counts ->> $2)::int as deleted
       from user_data_deletion where public_id = $1 and ended_at is not null`,
      [data.jobId, kind],
    );
    const [ended] = rows;
    if (ended !== undefined) {
      if (ended.deleted !== userIds.length * rowsEach)
        throw new Error(`${String(ended.deleted)} rows were deleted.`);
      return { seconds: ended.seconds, memory };
    }
    if (performance.now() - began > 600_000) throw new Error(`${data.jobId} has not ended in ten minutes.`);
  }
}

export function timeFigure(name: string, floor: string, compared: readonly Compared[], max: number): Figure {
  return {
    name: `${name}: from call to completed`,
    unit: 's',
    steward: median(compared.map(({ seconds }) => seconds)),
    against: { name: floor, measured: median(compared.map(({ bare }) => bare)) },
    ratio: median(compared.map(({ seconds, bare }) => seconds / bare)),
    target: { of: 'ratio', is: 'at most', value: max },
  };
}

/** Empty where the system does not report it. */
function memoryFigure(
  rows: number,
  few: number,
  ofFew: number | undefined,
  compared: readonly Deletion[],
): Figure[] {
  const ofMany = compared.flatMap(({ memory }) => (memory === undefined ? [] : [memory]));
  if (ofFew === undefined || ofMany.length === 0) return [];
  return [
    {
      name: `additional memory of the worker while ${label(rows)} rows are deleted, to ${label(few)}`,
      unit: 'MB',
      steward: Math.max(...ofMany) - ofFew,
      target: { of: 'measured', is: 'at most', value: 30 },
    },
  ];
}
