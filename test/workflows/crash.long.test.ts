import { describe } from '@jest/globals';
import { crashes, testCrashes, type Crash } from './crashes.ts';

describe('a migration', () => {
  testCrashes(Object.keys(crashes) as Crash[]);
});
