import { recordKinds } from '../domain/cascade/record-kinds.ts';
import { countDocument } from '../domain/migrations/count-document.ts';
import { findMigration, storeCounts } from '../domain/migrations/active-migration.ts';
import type { JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { reportingEach } from './report-progress.ts';

/**
 * Counts the records of the document and stores the counts with the migration, for its status and for `verifyMove`.
 * May be repeated: it overwrites its own result.
 */
export const countRecords =
  ({ orm }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<void> => {
    const em = orm.em.fork();
    const migration = await findMigration(em, jobId);
    if (migration === undefined) return;
    await storeCounts(em, migration, await reportingEach(countDocument(orm, migration, recordKinds)));
  };
