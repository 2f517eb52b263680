import { describe } from '@jest/globals';
import { testDeaths } from './delete-user-data-crashes.ts';

describe('a deletion', () => {
  testDeaths(['PostgreSQL', 'Temporal']);
});
