import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { createTestEnvironment, type TestEnvironment } from '../../testing/test-environment.ts';
import { aDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

const databases: TestDatabase[] = [];
let skipping: TestEnvironment;
let development: TestEnvironment;
let announcements = 0;
let stuck = false;
const opened: TestEnvironment[] = [];

beforeAll(async () => {
  databases.push(await aDatabase(), await aDatabase());
  const starting = [
    createTestEnvironment({
      databaseUrl: databases[0]?.directUrl ?? '',
      activities: (steward) => ({
        // Fails until one minute of backoff has passed, then does the real work.
        verifyMove: async (input: { jobId: string }) => {
          announcements += 1;
          if (announcements < 7) throw ApplicationFailure.create({ message: 'Not yet.' });
          await steward.verifyMove(input);
        },
      }),
    }),
    createTestEnvironment({
      server: 'development',
      databaseUrl: databases[1]?.directUrl ?? '',
      activities: (steward) => ({
        countRecords: async (input: { jobId: string }) => {
          if (stuck) throw ApplicationFailure.create({ message: 'Not now.' });
          await steward.countRecords(input);
        },
      }),
    }),
  ] as const;
  // Waits for both, so that one that started is torn down when the other fails.
  await Promise.allSettled(starting.map(async (start) => opened.push(await start)));
  [skipping, development] = await Promise.all(starting);
});
afterAll(async () => {
  await Promise.all(opened.map((environment) => environment.teardown()));
  await Promise.all(databases.map((database) => database.drop()));
});

/** Starts to move a document. Returns the id of the job. */
async function moving({ steward }: TestEnvironment, documentId: string): Promise<string> {
  const organizationId = 'acme';
  await steward.organizations.add({ organizations: [{ organizationId }] });
  await steward.documents.add({ organizationId, documents: [{ documentId }] });
  const newDocumentId = `${documentId}-moved`;
  const request = { organizationId, documentId, newDocumentId };
  const { data } = await steward.documents.migrate(request);
  return data.migrationId;
}

/** Moves a document. Returns the status of the ended job. */
async function moved(environment: TestEnvironment, documentId: string): Promise<string> {
  const jobId = await moving(environment, documentId);
  // The default of a minute is too short for a slow machine.
  return (await environment.jobEnded(jobId, { withinMs: 600_000 })).status;
}

describe('two concurrent test environments', () => {
  it('each run a job, on the time-skipping and on the development server', async () => {
    expect(await Promise.all([moved(skipping, 'plan'), moved(development, 'plan')])).toEqual([
      'completed',
      'completed',
    ]);
  });

  it('skip the backoff of a replaced activity', async () => {
    announcements = 0;
    const [realFrom, from] = [Date.now(), await skipping.temporal.currentTimeMs()];
    expect(await moved(skipping, 'notes')).toBe('completed');
    expect(announcements).toBe(7);
    const passed = (await skipping.temporal.currentTimeMs()) - from;
    // Time that the server skipped: none without skipping, however slow the machine is.
    expect(passed - (Date.now() - realFrom)).toBeGreaterThan(10_000);
  });

  it('share no state', async () => {
    const [ours, theirs] = [skipping, development].map(({ api }) => api);
    expect(new Set([ours?.baseUrl, theirs?.baseUrl, ours?.apiKey, theirs?.apiKey]).size).toBe(4);
    expect(skipping.temporal.address).not.toBe(development.temporal.address);
  });

  it('report the pending activities of a stuck job', async () => {
    stuck = true;
    const jobId = await moving(development, 'stuck');
    // On a slow machine, the activity may not have failed after the first 2 s.
    await eventually(async () =>
      expect(development.jobEnded(jobId, { withinMs: 2_000 })).rejects.toThrow(
        /^The job job_\S+ has not ended within 2000 ms: its status is in_progress, its workflow document-migration\/job_\S+ is RUNNING; pending activities: countRecords, attempt \d+: Not now\.\.$/,
      ),
    );
    stuck = false;
  });

  it('can be torn down twice', async () => {
    const { temporal } = skipping;
    await skipping.teardown();
    await skipping.teardown();
    await expect(temporal.currentTimeMs()).rejects.toThrow();
  });
});
