import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { anInstallation, type Installation } from './migrations.ts';
import { deleteKeyThroughKills } from './key-deletion-crashes.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await anInstallation();
});
afterAll(() => installation.close());

describe('the deletion of a key', () => {
  it('removes 30,000 rows despite five kills of its worker, and counts each once', async () => {
    await deleteKeyThroughKills(installation, { rows: 30_000, kills: 5 });
  });
});
