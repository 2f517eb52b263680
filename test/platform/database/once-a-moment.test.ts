import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { OnceAMoment } from '../../../platform/database/once-a-moment.ts';

describe('what is asked once a moment', () => {
  it('is asked once for all who come in one turn of the event loop, and again for who comes later', async () => {
    const shared = new OnceAMoment<number>();
    let asked = 0;
    const ask = (key: string): Promise<number> => shared.ask(key, async () => Promise.resolve((asked += 1)));
    expect(await Promise.all([ask('a'), ask('b'), ask('a'), ask('a')])).toEqual([1, 2, 1, 1]);
    await nextTurn();
    expect(await Promise.all([ask('a'), ask('b')])).toEqual([3, 4]);
  });

  it('is asked anew while the last answer is under way', async () => {
    const shared = new OnceAMoment<string>();
    const open: ((response: string) => void)[] = [];
    const ask = (): Promise<string> =>
      shared.ask('a', async () => new Promise((resolve) => void open.push(resolve)));
    const first = ask();
    await nextTurn();
    const second = ask();
    expect(open).toHaveLength(2);
    open[1]?.('new');
    open[0]?.('old');
    expect([await first, await second]).toEqual(['old', 'new']);
  });

  it('fails for all who asked it together, and for nobody else', async () => {
    const shared = new OnceAMoment<string>();
    const failing = async (): Promise<string> => Promise.reject(new Error('away'));
    const ends = await Promise.allSettled([
      shared.ask('a', failing),
      shared.ask('a', async () => Promise.resolve('unasked')),
      shared.ask('b', async () => Promise.resolve('well')),
    ]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    await nextTurn();
    expect(await shared.ask('a', async () => Promise.resolve('back'))).toBe('back');
  });
});
