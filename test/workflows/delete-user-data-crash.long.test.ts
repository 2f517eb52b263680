import { describe } from '@jest/globals';
import { testDeaths } from './delete-user-data-deaths.ts';

describe('a deletion', () => {
  testDeaths(['PostgreSQL', 'Temporal']);
});
