import { describe, it } from '@jest/globals';
import { notReachedScene } from './not-reached-scene.ts';

const remainsOf = notReachedScene();

describe('people in random records of every kind', () => {
  it.each([
    [1, 'key'],
    [2, 'organizations'],
  ] as const)(
    'are found after their deletion only where notReached declares it (world %i, %s)',
    async (seed, scope) => {
      await remainsOf(seed, scope);
    },
  );
});
