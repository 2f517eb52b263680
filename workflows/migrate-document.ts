import { databaseQueue, type JobInput } from './contract.ts';
import { showResult } from './show-result.ts';
import { steps, untilItWorks } from './steps.ts';

const { beginJob, countRecords, flipDocumentId, announceMove, verifyMove } = steps(
  { ...untilItWorks, taskQueue: databaseQueue, priority: { priorityKey: 2 } },
  {
    beginJob: 'Take the migration in hand',
    countRecords: 'Count what the document holds',
    flipDocumentId: 'Give the document its new id',
    announceMove: 'Tell who holds the old id',
    verifyMove: 'Look whether all is under the new id',
  },
);

/** Count, flip, announce, verify, and show what came of it. */
export async function migrateDocument({ jobId }: JobInput): Promise<void> {
  const migration = { jobId };
  await carryOut(migration);
  await showResult(migration);
}

/** Only the flip changes the document, and it is whole or not at all. */
async function carryOut(migration: JobInput): Promise<void> {
  if (!(await beginJob(migration))) return;
  await countRecords(migration);
  if (!(await flipDocumentId(migration))) return;
  await announceMove(migration);
  await verifyMove(migration);
}
