import { describe } from '@jest/globals';
import { testCrashes } from './crashes.ts';

describe('a migration', () => {
  // The others are in crash.long.test.ts. The kill of an API between commit and start is that of delete-user-data-crash.test.ts.
  testCrashes(['the worker is killed during the flip']);
});
