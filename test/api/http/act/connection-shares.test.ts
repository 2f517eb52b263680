import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ConnectionShares } from '../../../../api/http/act/connection-shares.ts';
import { startTestApi } from '../../../support/api.ts';
import { eventually } from '../../../support/eventually.ts';
import { aDocument, aTenant, addActivityLogs, withActivityLogs } from '../../../support/factories.ts';

const api = await startTestApi({ environment: { DATABASE_POOL_SIZE: '4' } });
afterAll(api.close);

/** Transactions that end one by one, in the order in which they began. */
class HeldTransactions {
  readonly begun: string[] = [];
  readonly #ends: (() => void)[] = [];

  begin(name: string): Promise<void> {
    this.begun.push(name);
    return new Promise((resolve) => this.#ends.push(resolve));
  }

  async endNext(): Promise<void> {
    this.#ends.shift()?.();
    await turn();
  }
}

describe('transactions of one owner', () => {
  it('use three quarters of the pool, and further ones wait in order of arrival', async () => {
    const shares = new ConnectionShares({ poolSize: 4 });
    const held = new HeldTransactions();
    const run = async (owner: string, name: string) => shares.run(owner, async () => held.begin(name));
    const all = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => run('a', name));
    all.push(run('b', 'b1'));
    expect(held.begun).toEqual(['a1', 'a2', 'a3', 'b1']);
    await held.endNext();
    expect(held.begun.slice(4)).toEqual(['a4']);
    await held.endNext();
    expect(held.begun.slice(5)).toEqual(['a5']);
    for (const _ of all) await held.endNext();
    await Promise.all(all);
    // Every place is free again.
    const further = ['c1', 'c2', 'c3', 'c4'].map((name) => run('a', name));
    expect(held.begun.slice(6)).toEqual(['c1', 'c2', 'c3']);
    for (const _ of further) await held.endNext();
    await Promise.all(further);
  });

  it('pass their place on when they fail', async () => {
    const shares = new ConnectionShares({ poolSize: 1 });
    const failing = shares.run('a', async () => Promise.reject(new Error('failed')));
    const next = shares.run('a', async () => Promise.resolve('next'));
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe('next');
  });

  it('are refused with UNAVAILABLE when they have waited too long, and those behind them run', async () => {
    const shares = new ConnectionShares({ poolSize: 1, maxWaitMs: 20 });
    const held = new HeldTransactions();
    const first = shares.run('a', async () => held.begin('first'));
    await expect(shares.run('a', async () => held.begin('late'))).rejects.toMatchObject({
      status: 'UNAVAILABLE',
      headers: { 'Retry-After': '5' },
      refusal: 'connection_share',
    });
    await held.endNext();
    await first;
    const last = shares.run('a', async () => held.begin('last'));
    await held.endNext();
    await last;
    expect(held.begun).toEqual(['first', 'last']);
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
