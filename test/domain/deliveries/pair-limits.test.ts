import { describe, expect, it } from '@jest/globals';
import { PairLimits } from '../../../domain/deliveries/pair-limits.ts';

describe('pairs that are asked about', () => {
  it('are at most the limit of each owner, in order', async () => {
    const limits = new PairLimits(50);
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const ask = async (owner: string, pairs: number, name: string) =>
      limits.run(owner, pairs, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
      });
    const calls = [
      ask('a', 30, 'first'),
      ask('a', 20, 'second'),
      ask('a', 50, 'third'),
      ask('a', 1, 'fourth'),
      ask('b', 50, 'other'),
    ];
    const settled = async () => new Promise((resolve) => setImmediate(resolve));
    await settled();
    expect(begun).toEqual(['first', 'second', 'other']);
    ends[0]?.();
    await settled();
    expect(begun).toHaveLength(3);
    ends[1]?.();
    await settled();
    expect(begun).toEqual(['first', 'second', 'other', 'third']);
    for (const end of ends) end();
    await settled();
    for (const end of ends) end();
    await Promise.all(calls);
    expect(begun.at(-1)).toBe('fourth');
  });

  it('that fail make room for others', async () => {
    const limits = new PairLimits(1);
    await expect(limits.run('a', 1, async () => Promise.reject(new Error('failed')))).rejects.toThrow(
      'failed',
    );
    expect(await limits.run('a', 1, async () => 'next')).toBe('next');
  });
});
