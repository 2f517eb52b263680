import { afterAll } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { testHalfSentBodies } from './half-sent-bodies.ts';

const api = await startTestApi();
afterAll(api.close);

testHalfSentBodies(api, ['no', 'wrong']);
