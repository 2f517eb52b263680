import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { checkJournal } from '../../../cli/doctor/check-journal.ts';
import { completeJournal } from '../../../domain/deletion-replay/complete-journal.ts';
import { openJournal } from '../../../domain/deletion/journal/open-journal.ts';
import { startTestApi } from '../../support/api.ts';
import { serverEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { aTenant } from '../../support/factories.ts';
import { begunDeletion, carriedOut } from '../deletion/carry-out.ts';

const folder = await mkdtemp(join(tmpdir(), 'steward-missing-entries-'));
const environment = { STEWARD_DELETION_JOURNAL: folder };
const api = await startTestApi({ environment });
const journal = openJournal(folder, api.keyRing);
afterAll(async () => {
  await journal?.close();
  await api.close();
  await rm(folder, { recursive: true });
});

/** What doctor finds about the journal. */
async function levelsFound(): Promise<string[]> {
  const local = { dataDirectory: folder, state: 'none', values: {}, keysGiven: true } as const;
  const surroundings = { environment: serverEnvironment(api.database.url, environment), local };
  return (await checkJournal(surroundings, api)).map(({ level }) => level);
}

describe('a deletion that a worker without the journal completed', () => {
  it('is logged by the API and found by doctor after 5 minutes, until a worker with the journal adds it', async () => {
    const tenant = await aTenant(api);
    const deletion = await begunDeletion(api, tenant, { userIds: ['ada'] });
    expect(await carriedOut(api, deletion)).toEqual([]);
    expect(await levelsFound()).toEqual(['ok']);
    await api.database.sql(`update user_data_deletion set verified_at = verified_at - interval '6 minutes'`);
    expect(await levelsFound()).toEqual(['ok', 'serious']);
    await eventually(() => expect(api.log.join('\n')).toContain('deletions without journal entries'));
    await completeJournal(api.orm, { keyRing: api.keyRing, issuer: 'https://steward.test', journal });
    expect(await levelsFound()).toEqual(['ok']);
  });
});
