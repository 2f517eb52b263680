import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseTime } from '../../../domain/database-time.ts';
import { expiryOf } from '../../../domain/deletion-replay/journal-positions.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const dayMs = 86_400_000;

describe('the expiry of journal files', () => {
  it.each([
    ['ahead', 1_000],
    ['behind', -1_000],
  ])('removes no more files where the clock of a process is %s', async (_, days) => {
    const { now } = Date;
    try {
      Date.now = () => now() + days * dayMs;
      const byDatabase = (await databaseTime(api.orm)) + 60_000 - dayMs;
      expect(await expiryOf(api.orm, dayMs)).toBeLessThan(Math.min(byDatabase, Date.now()));
    } finally {
      Date.now = now;
    }
  });
});
