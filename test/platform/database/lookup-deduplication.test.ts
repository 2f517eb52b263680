import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { LookupDeduplication } from '../../../platform/database/lookup-deduplication.ts';

describe('lookup deduplication', () => {
  it('runs one lookup for all callers of an event-loop turn, and another for later callers', async () => {
    const shared = new LookupDeduplication<number>();
    let runs = 0;
    const run = (key: string): Promise<number> => shared.run(key, async () => Promise.resolve((runs += 1)));
    expect(await Promise.all([run('a'), run('b'), run('a'), run('a')])).toEqual([1, 2, 1, 1]);
    await nextTurn();
    expect(await Promise.all([run('a'), run('b')])).toEqual([3, 4]);
  });

  it('runs a second lookup in a later turn while the first one is running', async () => {
    const shared = new LookupDeduplication<string>();
    const open: ((response: string) => void)[] = [];
    const run = (): Promise<string> =>
      shared.run('a', async () => new Promise((resolve) => void open.push(resolve)));
    const first = run();
    await nextTurn();
    const second = run();
    expect(open).toHaveLength(2);
    open[1]?.('new');
    open[0]?.('old');
    expect([await first, await second]).toEqual(['old', 'new']);
  });

  it('rejects for all callers of a failed lookup, and for no other caller', async () => {
    const shared = new LookupDeduplication<string>();
    const failing = async (): Promise<string> => Promise.reject(new Error('unavailable'));
    const ends = await Promise.allSettled([
      shared.run('a', failing),
      shared.run('a', async () => Promise.resolve('not run')),
      shared.run('b', async () => Promise.resolve('well')),
    ]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    await nextTurn();
    expect(await shared.run('a', async () => Promise.resolve('back'))).toBe('back');
  });
});
