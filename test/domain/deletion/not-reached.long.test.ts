import { describe, expect, it } from '@jest/globals';
import { columnsOf, declared } from './not-reached.ts';
import { notReachedScene, type Remains } from './not-reached-scene.ts';
import { called } from './random-world.ts';

const remainsOf = notReachedScene();
const seeds = Array.from({ length: 30 }, (_, at) => at + 1);

describe('people in random records of every kind', () => {
  it('are found after their deletions exactly where notReached declares it', async () => {
    const worlds: Remains[] = [];
    for (const seed of seeds) worlds.push(await remainsOf(seed));
    const sentences = Object.keys(declared);
    for (const of of ['named', 'told'] as const) {
      const found = new Set(worlds.flatMap((world) => world[of]));
      expect({ of, columns: [...found].toSorted() }).toEqual({
        of,
        columns: [...columnsOf(sentences, of)].toSorted(),
      });
    }
    const accepted = new Set(worlds.flatMap((world) => [...world.accepted]));
    expect(called.map(({ paths }) => paths[0]).filter((path) => !accepted.has(path))).toEqual([]);
  });
});
