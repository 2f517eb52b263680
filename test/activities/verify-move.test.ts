import { afterAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../activities/index.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import { startTestApi, type LogLine } from '../support/api.ts';
import { activityDependencies } from '../support/dependencies.ts';
import {
  activities as logs,
  addActivityLogs,
  aDocument,
  aTenant,
  freshId,
  withActivityLogs,
  type TestDocument,
} from '../support/factories.ts';
import { migrate, statusOf } from '../workflows/migrations.ts';

const api = await startTestApi();
const tenant = await withActivityLogs(await aTenant(api));
const lines: LogLine[] = [];
const logger = createLogger(
  { level: 'info', format: 'json', name: 'worker' },
  (line) => void lines.push(JSON.parse(line) as LogLine),
);
const dependencies = activityDependencies(api, api.orm, { logger });
const activities = createActivities(dependencies);
afterAll(async () => {
  await dependencies.outbound.close();
  await api.close();
});

const environment = new MockActivityEnvironment();

/** Migrates the document, with `act` between the change of the id and the verification. */
async function verifiedAfter(
  document: TestDocument,
  act: (moved: TestDocument) => Promise<unknown>,
): Promise<{ readonly jobId: string; readonly verified: boolean | null }> {
  const moved = { ...document, documentId: freshId('moved') };
  const jobId = await migrate(tenant, document, moved.documentId);
  await environment.run(activities.beginJob, { jobId });
  await environment.run(activities.countRecords, { jobId });
  expect(await environment.run(activities.flipDocumentId, { jobId })).toBe(true);
  await act(moved);
  await environment.run(activities.verifyMove, { jobId });
  return { jobId, verified: (await statusOf(tenant, document, jobId)).verified };
}

/** What the worker has logged about the job, except that the document moved. */
const logged = (jobId: string): LogLine[] =>
  lines.filter((line) => line['jobId'] === jobId && line['msg'] !== 'document migrated');

describe('a completed migration', () => {
  it('is verified, without an alert, when a user deleted a record meanwhile', async () => {
    const document = await aDocument(tenant);
    const [first] = await addActivityLogs(tenant, document, logs(3));
    const { jobId, verified } = await verifiedAfter(document, async (moved) =>
      tenant.ok('/v2/activities/delete', { ...moved, activityIds: [first] }),
    );
    expect(verified).toBe(true);
    const fewer = ['activities: 3 before, 2 after'];
    expect(logged(jobId)).toMatchObject([{ msg: 'fewer records after migration', level: 'info', fewer }]);
    expect(logged(jobId)[0]).not.toHaveProperty('alert');
  });

  it('is not verified, with an alert, when the old id still resolves to the document and the new one does not', async () => {
    const document = await aDocument(tenant);
    const { jobId, verified } = await verifiedAfter(document, async ({ documentId }) =>
      api.database.sql('update document set ext_id = $1 where ext_id = $2', [
        document.documentId,
        documentId,
      ]),
    );
    expect(verified).toBe(false);
    expect(logged(jobId)).toMatchObject([
      {
        msg: 'migration not verified',
        level: 'error',
        alert: 'migration-not-verified',
        findings: [
          'the old id still resolves to the document',
          'the new id does not resolve to the document',
        ],
      },
    ]);
  });
});
