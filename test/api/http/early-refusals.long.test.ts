import { afterAll } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { testEarlyRefusals } from './early-refusals.ts';

const api = await startTestApi();
afterAll(api.close);

/** Of each of nine ways: 200 in all. */
const rounds = 22;

await testEarlyRefusals(api, rounds);
