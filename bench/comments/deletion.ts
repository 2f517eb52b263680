import { setTimeout as pause } from 'node:timers/promises';
import { deleteBySteward, timeFigure, type Compared } from '../deletions/delete-data.ts';
import { makeRequests } from '../deletions/ordinary-requests.ts';
import { median } from '../figure.ts';
import { withoutIndexes } from '../large-table.ts';
import type { Bench } from '../run.ts';
import { load, makeLocations, threadTables } from './load.ts';

const efforts = {
  full: { comments: 1_000_000, rounds: 2, idle: 5_000 },
  quick: { comments: 100_000, rounds: 3, idle: 2_000 },
} as const;

/** Comments per thread. Every sixth is by another user, so the threads stay. */
const [commentsEach, otherEvery, ofUser] = [120, 6, 100];

/** Compares the deletion of a user's comments in shared threads with one bare DELETE of the same number of rows, in alternation. */
export const deleteComments: Bench = async (site, { quick, show, signal }) => {
  const { comments, rounds, idle } = quick ? efforts.quick : efforts.full;
  const key = await site.newKey();
  const locations = Array.from({ length: rounds * 2 }, (_, at) => ({
    organizationId: 'comment-deletions',
    documentId: `deleted-${String(at)}`,
    userId: `writer-${String(at)}`,
  }));
  await makeLocations(key, locations);
  show(
    `Loading ${String(locations.length)} × ${comments.toLocaleString('en-US')} comments of users to delete …`,
  );
  await withoutIndexes(site.sql, threadTables, async () => {
    for (const location of locations) {
      signal.throwIfAborted();
      await load(site, key, { location, threads: comments / ofUser, commentsEach, otherEvery, prefix: 't' });
    }
  });
  await site.sql.query('checkpoint');
  show('Deleting them …');
  const requests = makeRequests(site);
  try {
    await pause(idle, undefined, { signal });
    const quiet = requests.p99();
    const compared: Compared[] = [];
    for (let round = 0; round < rounds; round += 1) {
      signal.throwIfAborted();
      const bare = await deleteBare(`writer-${String(2 * round)}`);
      requests.p99();
      const crowd = { userIds: [`writer-${String(2 * round + 1)}`], rowsEach: comments };
      const deletion = await deleteBySteward(site, { key }, crowd, signal, 'comments');
      compared.push({ ...deletion, bare, p99: requests.p99() });
    }
    const name = `deletion of ${comments.toLocaleString('en-US')} comments of one user`;
    return [
      timeFigure(name, 'one DELETE', compared, 2),
      {
        name: `${name}: p99 of other requests meanwhile`,
        unit: 'ms',
        steward: median(compared.map(({ p99 }) => p99)),
        against: { name: 'idle', measured: quiet },
        ratio: median(compared.map(({ p99 }) => p99 / quiet)),
        target: { of: 'ratio', is: 'at most', value: 3 },
      },
    ];
  } finally {
    await requests.stop();
  }

  async function deleteBare(userId: string): Promise<number> {
    const began = performance.now();
    await site.sql.query(
      'delete from comment where author_id = (select id from app_user where api_key_id = $1 and ext_id = $2)',
      [key.id, userId],
    );
    return (performance.now() - began) / 1_000;
  }
};
