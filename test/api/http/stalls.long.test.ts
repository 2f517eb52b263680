import { afterAll, describe, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { stallMidway } from './stalls.ts';

const api = await startTestApi();
afterAll(api.close);

/** In ms: longer than PostgreSQL's idle-in-transaction timeout for API processes. */
const stalledFor = 35_000;

describe('an API process whose event loop stalls for 35 s during calls', () => {
  it('returns UNAVAILABLE for each call, writes nothing and serves again', async () => {
    await stallMidway(api, async (idleSessions) => {
      const until = Date.now() + stalledFor;
      await eventually(
        async () => Date.now() >= until && (await api.database.sql(`select ${idleSessions}`)).length === 0,
        { within: stalledFor * 2 },
      );
    });
  });
});
