import { describe, expect, it } from '@jest/globals';
import { limitedLookups } from '../../../platform/outbound/resolve-host.ts';

/** Lookups that end when the test says so. */
function held() {
  const waiting: { readonly host: string; readonly end: () => void }[] = [];
  const find = limitedLookups(
    async (host) => new Promise<string>((resolve) => waiting.push({ host, end: () => resolve(host) })),
  );
  return { waiting, find, hosts: () => waiting.map(({ host }) => host) };
}

const turn = async (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

describe('lookups of the system', () => {
  it('run one at a time for names with a dot, which do not delay short names', async () => {
    const { waiting, find, hosts } = held();
    const all = ['a.test', 'b.test', 'short', 'other'].map(find);
    await turn();
    expect(hosts()).toEqual(['a.test', 'short']);
    while (waiting.length < 4) {
      for (const { end } of waiting) end();
      await turn();
    }
    for (const { end } of waiting) end();
    expect(await Promise.all(all)).toEqual(['a.test', 'b.test', 'short', 'other']);
  });

  it('are shared by concurrent calls for one name', async () => {
    const { waiting, find, hosts } = held();
    const all = Array.from({ length: 1_000 }, async () => find('receiver'));
    await turn();
    expect(hosts()).toEqual(['receiver']);
    waiting[0]?.end();
    expect(new Set(await Promise.all(all))).toEqual(new Set(['receiver']));
  });

  it('are refused while 100 names wait', async () => {
    const { find } = held();
    for (let at = 0; at <= 100; at += 1) void find(`n${String(at)}.test`);
    await turn();
    await expect(find('further.test')).rejects.toThrow('Too many names');
    const short = find('short');
    expect(await Promise.race([short, turn().then(() => 'waits')])).toBe('waits');
  });
});
