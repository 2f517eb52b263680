import { afterAll, describe, expect, it } from '@jest/globals';
import {
  ConnectionShares,
  withConnectionsOf,
  withConnectionsOfAll,
} from '../../../platform/database/connection-shares.ts';
import { classifyDatabaseError } from '../../../platform/database/failures.ts';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { aDocument, aTenant, addActivityLogs, withActivityLogs } from '../../support/factories.ts';

const api = await startTestApi({ environment: { DATABASE_POOL_SIZE: '4' } });
afterAll(api.close);

/** Returns a function that takes a connection of an owner, and the names of those that were taken. */
function sharesOf(options: { poolSize: number; maxWaitMs?: number }) {
  const shares = new ConnectionShares({ maxWaitMs: 60_000, ...options });
  const taken: string[] = [];
  const take = async (owner: string, name: string): Promise<() => void> => {
    const release = await withConnectionsOf(owner, async () => shares.take());
    taken.push(name);
    return release;
  };
  return { shares, take, taken };
}

describe('the connections of one owner', () => {
  it('are at most three quarters of the pool, and further calls wait in order of arrival', async () => {
    const { shares, take, taken } = sharesOf({ poolSize: 4 });
    const [first, second, third, fourth, fifth] = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) =>
      take('a', name),
    );
    await take('b', 'b1');
    expect(taken).toEqual(['a1', 'a2', 'a3', 'b1']);
    expect(shares.waiting).toBe(2);
    (await first)?.();
    const release = await fourth;
    expect(taken.slice(4)).toEqual(['a4']);
    release?.();
    const releases = await Promise.all([second, third, fifth]);
    expect(taken.slice(5)).toEqual(['a5']);
    for (const one of releases) one?.();
    await Promise.all([take('a', 'c1'), take('a', 'c2'), take('a', 'c3')]);
    expect(taken.slice(6)).toEqual(['c1', 'c2', 'c3']);
  });

  it('are refused like those of a full pool after a long wait, and the next call gets its turn', async () => {
    const { take, taken } = sharesOf({ poolSize: 1, maxWaitMs: 20 });
    const release = await take('a', 'first');
    const refused = await take('a', 'late').catch((error: unknown) => error);
    expect(classifyDatabaseError(refused)).toBe('unavailable');
    release();
    await take('a', 'next');
    expect(taken).toEqual(['first', 'next']);
  });

  it('do not limit work on behalf of all owners', async () => {
    const { shares } = sharesOf({ poolSize: 1 });
    await withConnectionsOf('a', async () => {
      await shares.take();
      await withConnectionsOfAll(async () => shares.take());
    });
    await Promise.all([shares.take(), shares.take()]);
  });
});

describe('an API whose connections all writes of one key could use', () => {
  it('serves writes of other keys meanwhile', async () => {
    const busy = await withActivityLogs(await aTenant(api));
    const other = await withActivityLogs(await aTenant(api));
    const [document, elsewhere] = [await aDocument(busy), await aDocument(other)];
    const record = { featureType: 'comment', actionType: 'comment.add', actionUser: { userId: 'ada' } };
    await addActivityLogs(busy, document, [{ id: 'held', ...record }]);
    const holder = await api.database.connect();
    await holder.query('begin');
    await holder.query('select id from activity where api_key_id = $1 for update', [busy.id]);
    const deletions = Array.from({ length: 20 }, async () =>
      busy.ok<{ deletedCount?: number }>('/v2/activities/delete', document),
    );
    const waiting = async (): Promise<number> => {
      const rows = await api.database.sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length;
    };
    await eventually(async () => (await waiting()) === 3);
    await addActivityLogs(other, elsewhere, [record]);
    expect(await waiting()).toBe(3);
    await holder.query('commit');
    expect(await Promise.all(deletions)).toHaveLength(20);
  });
});
