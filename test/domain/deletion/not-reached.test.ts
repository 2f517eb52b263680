import { describe, it } from '@jest/globals';
import { notReachedScene } from './not-reached-scene.ts';

const remainsOf = notReachedScene();

describe('people in random records of every kind', () => {
  it.each([1, 2])(
    'are found after their deletion only where notReached declares it (world %i)',
    async (seed) => {
      await remainsOf(seed);
    },
  );
});
