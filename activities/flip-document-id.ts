import { flipDocument } from '../domain/migrations/flip-document.ts';
import { findMigration } from '../domain/migrations/active-migration.ts';
import type { JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Changes the id of the document and ends the migration. Returns whether the document has moved.
 * May be repeated: it acts only on a migration that is in progress, in one transaction that ends it.
 */
export const flipDocumentId =
  ({ orm, logger }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<boolean> => {
    const migration = await findMigration(orm.em.fork(), jobId);
    if (migration === undefined || !(await flipDocument(orm, migration))) return false;
    logger.info({ jobId }, 'document migrated');
    return true;
  };
