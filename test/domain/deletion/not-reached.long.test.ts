import { describe, expect, it } from '@jest/globals';
import { columnsOf, declared, unwritten } from './not-reached.ts';
import { notReachedScene, type Remains } from './not-reached-scene.ts';
import { called } from './random-world.ts';

const remainsOf = notReachedScene();
const seeds = Array.from({ length: 30 }, (_, at) => at + 1);

describe('people in random records of every kind', () => {
  it('are found after their deletions exactly where notReached declares it', async () => {
    const worlds: Remains[] = [];
    for (const seed of seeds) worlds.push(await remainsOf(seed, seed % 3 === 0 ? 'organizations' : 'key'));
    const found = (role: 'named' | 'told') => [...new Set(worlds.flatMap((world) => world[role]))].toSorted();
    const columns = (role: 'named' | 'told') =>
      [...columnsOf(Object.keys(declared), role)].filter((column) => !(column in unwritten)).toSorted();
    const accepted = new Set(worlds.flatMap((world) => [...world.accepted]));
    const refused = called.map(({ paths }) => paths[0]).filter((path) => !accepted.has(path));
    expect({ named: found('named'), told: found('told'), refused }).toEqual({
      named: columns('named'),
      told: columns('told'),
      refused: [],
    });
  });
});
