import { afterAll, describe, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { expectOthersServed } from './beside-large-bodies.ts';
import { activities } from './large-bodies.ts';

const api = await startTestApi();
afterAll(api.close);

describe('the API', () => {
  // The long test covers the other kinds of body.
  it('responds to other keys during activities with long texts back to back', async () =>
    expectOthersServed(api, activities, 2));
});
