import { describe } from '@jest/globals';
import { testBodies } from './endless-bodies.ts';

describe('bodies that never end', () => {
  testBodies(['no credentials', 'wrong credentials', 'right credentials']);
});
