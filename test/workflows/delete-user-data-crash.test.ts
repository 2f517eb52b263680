import { describe, it } from '@jest/globals';
import { apiDies, testDeaths } from './delete-user-data-crashes.ts';

describe('a deletion', () => {
  testDeaths(['worker'], (set) => {
    it('completes when the API is killed after its commit, before the start', async () => {
      await apiDies(set());
    });
  });
});
