import { deprecatePatch } from '@temporalio/workflow';
import { databaseQueue, type JobInput } from './contract.ts';
import { showResult } from './show-result.ts';
import { steps, retryForADay } from './steps.ts';

const { beginJob, countRecords, flipDocumentId, verifyMove } = steps(
  { ...retryForADay, taskQueue: databaseQueue, priority: { priorityKey: 2 } },
  {
    beginJob: 'Start the migration',
    countRecords: 'Count the records of the document',
    flipDocumentId: 'Change the id of the document',
    verifyMove: 'Verify the records under the new id',
  },
);

/** Counts the records, changes the document's id, verifies, and shows the result as a memo. */
export async function migrateDocument({ jobId }: JobInput): Promise<void> {
  const migration = { jobId };
  await run(migration);
  await showResult(migration);
}

/** Only the change of the id alters the document, in one transaction. */
async function run(migration: JobInput): Promise<void> {
  if (!(await beginJob(migration))) return;
  await countRecords(migration);
  if (!(await flipDocumentId(migration))) return;
  // Histories of 0.2.0 have this marker. Remove the call in the release after 0.3.0, when no worker of 0.2.0 is left.
  deprecatePatch('no-announcement');
  await verifyMove(migration);
}
