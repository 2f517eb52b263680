import { readMovedState, storeVerification } from '../domain/migrations/verify-move.ts';
import { recordKinds } from '../domain/cascade/record-kinds.ts';
import { countDocument } from '../domain/migrations/count-document.ts';
import { findMigration } from '../domain/migrations/active-migration.ts';
import type { JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { reportingEach } from './report-progress.ts';

/**
 * Verifies that the new id, and not the old one, resolves to the document and with it to all its records. A finding raises
 * an alert; the migration stays completed. Fewer records than before are only logged: users may have deleted them.
 * May be repeated: it overwrites its own result.
 */
export const verifyMove =
  ({ orm, logger }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<void> => {
    const em = orm.em.fork();
    const migration = await findMigration(em, jobId);
    if (migration === undefined) return;
    const { findings, fewer } = await readMovedState(
      em,
      migration,
      await reportingEach(countDocument(orm, migration, recordKinds)),
    );
    if (fewer.length > 0) logger.info({ jobId, fewer }, 'fewer records after migration');
    if (findings.length > 0)
      logger.error({ alert: 'migration-not-verified', jobId, findings }, 'migration not verified');
    await storeVerification(em, migration, findings.length === 0);
  };
