import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { DeletionJournal } from '../../../domain/deletion/journal/deletion-journal.ts';
import { openJournal } from '../../../domain/deletion/journal/open-journal.ts';
import { replayDeletions } from '../../../domain/deletion-replay/replay-deletions.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { anOperator, aTenant, freshId } from '../../support/factories.ts';
import { begunDeletion } from '../deletion/carry-out.ts';
import { readiness } from './readiness.ts';

const folder = await mkdtemp(join(tmpdir(), 'steward-cancel-'));
const api = await startTestApi();
const opened: TestApi[] = [];
afterAll(async () => {
  for (const one of [...opened, api]) await one.close();
  await rm(folder, { recursive: true, force: true });
});

/** An API with the journal, once it is not ready for a reason that contains this text. */
async function closedWith(reason: string): Promise<TestApi> {
  const { database } = api;
  const made = await startTestApi({ database, environment: { STEWARD_DELETION_JOURNAL: folder } });
  opened.push(made);
  await eventually(async () => {
    const { reasons = [] } = await readiness(made);
    return reasons.some((one) => one.includes(reason));
  });
  return made;
}

describe('a deletion of the journal that the backup contains unfinished', () => {
  it('cannot be canceled before the comparison has read its entry, nor while it runs again', async () => {
    const tenant = await aTenant(api);
    const { publicId: jobId } = await begunDeletion(api, tenant, { userIds: ['ada'] });
    // Two workers: the comparison stops at the first file, whose deletion the backup lacks.
    for (const entryJobId of [freshId('job'), jobId]) {
      const journal = openJournal(folder, api.keyRing) as DeletionJournal;
      await journal.append({
        v: 1,
        kind: 'users',
        keyId: tenant.keyId,
        jobId: entryJobId,
        at: 1,
        database: '',
        signingKeys: [],
        userIds: ['ada'],
        organizationIds: null,
      });
      await journal.close();
    }
    const refusal = { http: 503, status: 'UNAVAILABLE' };
    const outdated = anOperator(await closedWith('deletions replay'));
    expect(await outdated.refused('/v2/operator/jobs/cancel', { jobId })).toMatchObject(refusal);
    const { data } = await outdated.ok('/v2/operator/jobs/list', {});
    expect(data).toMatchObject([{ jobId, status: 'in_progress' }]);

    const journal = openJournal(folder, api.keyRing) as DeletionJournal;
    await replayDeletions(api.orm, api.keyRing, journal, { acceptLoss: false, retentionMs: 86_400_000 });
    await journal.close();
    const replaying = anOperator(await closedWith('running again'));
    expect(await replaying.refused('/v2/operator/jobs/cancel', { jobId })).toMatchObject(refusal);
  });
});
