import { patched } from '@temporalio/workflow';
import { databaseQueue, type JobInput } from './contract.ts';
import { showResult } from './show-result.ts';
import { steps, retryForADay } from './steps.ts';

const { beginJob, countRecords, flipDocumentId, announceMove, verifyMove } = steps(
  { ...retryForADay, taskQueue: databaseQueue, priority: { priorityKey: 2 } },
  {
    beginJob: 'Start the migration',
    countRecords: 'Count the records of the document',
    flipDocumentId: 'Change the id of the document',
    announceMove: 'Do nothing (earlier release)',
    verifyMove: 'Verify the records under the new id',
  },
);

/** Counts, flips, verifies, and shows the result as a memo. */
export async function migrateDocument({ jobId }: JobInput): Promise<void> {
  const migration = { jobId };
  await run(migration);
  await showResult(migration);
}

/** Only the flip changes the document, in one transaction. */
async function run(migration: JobInput): Promise<void> {
  if (!(await beginJob(migration))) return;
  await countRecords(migration);
  if (!(await flipDocumentId(migration))) return;
  // Histories of earlier releases schedule it here.
  if (!patched('no-announcement')) await announceMove();
  await verifyMove(migration);
}
