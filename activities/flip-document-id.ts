import { flipDocument } from '../domain/migrations/flip-document.ts';
import { findMigration } from '../domain/migrations/active-migration.ts';
import type { JobInput } from '../workflows/contract.ts';
import { countRecords } from './count-records.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Changes the id of the document and ends the migration. Returns whether the document has moved. First counts the records
 * if no step has: the step before does nothing while the key is disabled, and the key may be enabled after it.
 * May be repeated: it acts only on a migration that is in progress, in one transaction that ends it.
 */
export const flipDocumentId = (dependencies: Dependencies) => {
  const { orm, logger } = dependencies;
  const count = countRecords(dependencies);
  return async ({ jobId }: JobInput): Promise<boolean> => {
    const migration = await findMigration(orm.em.fork(), jobId);
    if (migration === undefined) return false;
    if (!migration.is_counted) await count({ jobId });
    if (!(await flipDocument(orm, migration))) return false;
    logger.info({ jobId }, 'document migrated');
    return true;
  };
};
