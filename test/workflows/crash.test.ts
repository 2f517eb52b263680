import { describe } from '@jest/globals';
import { testCrashes } from './crashes.ts';

describe('a migration', () => {
  testCrashes([
    'the API is killed after the commit and before the start',
    'the worker is killed during the flip',
  ]);
});
