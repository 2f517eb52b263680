import { describe, expect, it } from '@jest/globals';
import { ProviderConnections, type Share } from '../../../platform/senders/provider-connections.ts';

/** Takes connections until a key gets none. */
async function allOf(shares: ProviderConnections, key: string): Promise<Share[]> {
  const taken: Share[] = [];
  for (;;) {
    const share = await shares.take(key, 0);
    if (share === undefined) return taken;
    taken.push(share);
  }
}

describe('connections to a provider', () => {
  it('are reserved for keys that have none: four keys never have all of them', async () => {
    const shares = new ProviderConnections();
    const counts: number[] = [];
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) counts.push((await allOf(shares, key)).length);
    expect(counts).toEqual([5, 5, 3, 1, 1, 1]);
  });

  it('are limited for keys whose attempts were slow', async () => {
    const shares = new ProviderConnections({ slowMs: -1 });
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const key of keys) (await shares.take(key, 0))?.end();
    const counts: number[] = [];
    for (const key of keys) counts.push((await allOf(shares, key)).length);
    expect(counts).toEqual([1, 1, 1, 1, 0, 0]);
    expect(await allOf(shares, 'quick')).toHaveLength(5);
  });

  it('are all usable again after an attempt that was not slow', async () => {
    const shares = new ProviderConnections({ slowMs: 600_000, perKey: 2 });
    for (const share of await allOf(shares, 'a')) share.end();
    expect(await allOf(shares, 'a')).toHaveLength(2);
  });

  /** Lets keys wait for the only connection. Each ends its own as soon as it has one. Returns them in order of service. */
  async function servedInTurn(turnMs: number, keys: readonly string[]): Promise<string[]> {
    const shares = new ProviderConnections({ all: 1, spare: 0, turnMs });
    const first = await shares.take('a', 0);
    const served: string[] = [];
    const waits = keys.map(async (key) => {
      const share = await shares.take(key, 600_000);
      served.push(key);
      share?.end();
    });
    first?.end();
    await Promise.all(waits);
    return served;
  }

  it('stay with a key during its turn', async () => {
    expect(await servedInTurn(600_000, ['b', 'a', 'b', 'a'])).toEqual(['a', 'a', 'b', 'b']);
  });

  it('go to keys in turn, however many attempts of each wait', async () => {
    expect(await servedInTurn(-1, ['b', 'b', 'b', 'c', 'a', 'a'])).toEqual(['b', 'c', 'a', 'b', 'a', 'b']);
  });

  it('go to a key that may have one', async () => {
    const shares = new ProviderConnections({ all: 2, perKey: 1, spare: 0, turnMs: -1 });
    const [ofA, ofB] = [await shares.take('a', 0), await shares.take('b', 0)];
    const served: string[] = [];
    const waits = ['a', 'c', 'd'].map(async (key) => {
      const share = await shares.take(key, 600_000);
      served.push(key);
      return share;
    });
    ofB?.end();
    const ofC = await waits[1];
    expect(served).toEqual(['c']);
    ofA?.end();
    const again = await waits[0];
    expect(served).toEqual(['c', 'a']);
    ofC?.end();
    await waits[2];
    again?.end();
    expect(served).toEqual(['c', 'a', 'd']);
  });

  it('are not waited for beyond the given time, and are not given to a caller that no longer waits', async () => {
    const shares = new ProviderConnections({ all: 1, spare: 0 });
    const only = await shares.take('a', 0);
    expect(await shares.take('b', 1)).toBeUndefined();
    only?.end();
    expect(await shares.take('c', 0)).toBeDefined();
  });
});
