import { afterAll } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { testEarlyRefusals } from './early-refusals.ts';

const api = await startTestApi();
afterAll(api.close);

/** Rounds per way of sending: 200 in total over nine ways. */
const rounds = 22;

await testEarlyRefusals(api, rounds);
