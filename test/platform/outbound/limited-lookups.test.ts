import { describe, expect, it } from '@jest/globals';
import { limitedLookups } from '../../../platform/outbound/resolve-host.ts';

/** Lookups that end when the test says so. */
function held() {
  const waiting: { readonly host: string; readonly end: () => void }[] = [];
  const findOwned = limitedLookups(
    async (host) => new Promise<string>((resolve) => waiting.push({ host, end: () => resolve(host) })),
  );
  /** Each name has an owner of its own unless given. */
  const find = async (host: string, owner = host): Promise<string> => findOwned({ host, owner });
  return { waiting, find, hosts: () => waiting.map(({ host }) => host) };
}

const turn = async (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

describe('lookups of the system', () => {
  it('run one at a time for names with a dot, which do not delay short names', async () => {
    const { waiting, find, hosts } = held();
    const all = ['a.test', 'b.test', 'short', 'other'].map(async (host) => find(host));
    await turn();
    expect(hosts().toSorted()).toEqual(['a.test', 'short']);
    while (waiting.length < 4) {
      for (const { end } of waiting) end();
      await turn();
    }
    for (const { end } of waiting) end();
    expect(await Promise.all(all)).toEqual(['a.test', 'b.test', 'short', 'other']);
  });

  it('run in turn for the owners, however many names one of them has', async () => {
    const { waiting, find, hosts } = held();
    for (let at = 0; at < 50; at += 1) find(`n${String(at)}.test`, 'attacker').catch(() => undefined);
    const other = find('receiver.test', 'neighbor');
    await turn();
    expect(hosts()).toEqual(['n0.test']);
    waiting[0]?.end();
    await turn();
    expect(hosts()).toEqual(['n0.test', 'receiver.test']);
    waiting[1]?.end();
    expect(await other).toBe('receiver.test');
  });

  it('are refused to an owner with 100 waiting names, and to no other', async () => {
    const { waiting, find } = held();
    for (let at = 0; at <= 100; at += 1) find(`n${String(at)}.test`, 'attacker').catch(() => undefined);
    await turn();
    await expect(find('further.test', 'attacker')).rejects.toThrow('of one key');
    const other = find('receiver.test', 'neighbor');
    waiting[0]?.end();
    await turn();
    waiting[1]?.end();
    expect(await other).toBe('receiver.test');
  });

  it('of short names do not wait for names with a dot of the same owner', async () => {
    const { find, hosts } = held();
    for (const host of ['a.test', 'b.test', 'gateway']) find(host, 'owner').catch(() => undefined);
    await turn();
    expect(hosts().toSorted()).toEqual(['a.test', 'gateway']);
  });

  it.each(['receiver', 'receiver.test'])(
    'are one for the concurrent calls for %s of all owners',
    async (host) => {
      const { waiting, find, hosts } = held();
      const all = Array.from({ length: 1_000 }, async (_, at) => find(host, `owner ${String(at % 500)}`));
      await turn();
      expect(hosts()).toEqual([host]);
      waiting[0]?.end();
      expect(new Set(await Promise.all(all))).toEqual(new Set([host]));
    },
  );

  it('are refused while 100 names wait', async () => {
    const { find } = held();
    for (let at = 0; at <= 100; at += 1) void find(`n${String(at)}.test`);
    await turn();
    await expect(find('further.test')).rejects.toThrow('Too many names');
    const short = find('short');
    expect(await Promise.race([short, turn().then(() => 'waits')])).toBe('waits');
  });
});
