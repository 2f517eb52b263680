import { describe, it } from '@jest/globals';
import { apiDies, testDeaths } from './delete-user-data-deaths.ts';

describe('a deletion', () => {
  testDeaths(['worker'], (set) => {
    it('completes when the API dies after its commit, before the start', async () => {
      await apiDies(set());
    });
  });
});
