import { describe, expect, it } from '@jest/globals';
import { createContentCache, ownBuffer } from '../../../domain/crdt/content-cache.ts';

const mebibyte = 1_048_576;

describe('the cache of content', () => {
  it('counts its keys: long ids of customers do not enlarge it', () => {
    const cache = createContentCache();
    const id = 'i'.repeat(1_000);
    for (let number = 0; number < 20_000; number += 1)
      cache.set(JSON.stringify(['1', id, id, `${String(number)}-${id}`]), {
        id: String(number),
        version: '1',
        decoded: undefined,
      });
    const bytesOfKeys = [...cache.keys()].reduce((sum, key) => sum + 2 * key.length, 0);
    expect(bytesOfKeys).toBeLessThan(32 * mebibyte);
    expect(cache.size).toBeGreaterThan(1_000);
  });

  it('keeps no larger buffer in memory', () => {
    const own = ownBuffer('contént');
    expect([own.toString(), own.buffer.byteLength]).toEqual(['contént', 8]);
  });
});
