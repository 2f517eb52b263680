import { databaseQueue, type JobInput } from './contract.ts';
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

/** Count, flip, announce, verify. Only the flip changes the document, and it is whole or not at all. */
export async function migrateDocument({ jobId }: JobInput): Promise<void> {
  const migration = { jobId };
  if (!(await beginJob(migration))) return;
  await countRecords(migration);
  if (!(await flipDocumentId(migration))) return;
  await announceMove(migration);
  await verifyMove(migration);
}
