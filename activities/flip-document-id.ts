import { flipDocument } from '../domain/migrations/flip-document.ts';
import { findMigration } from '../domain/migrations/work-migration.ts';
import type { JobInput } from '../workflows/contract.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Gives the document its new id and ends the migration; says whether the document has moved.
 * May be repeated: it acts only on a migration that is in progress, in one transaction that ends it.
 */
export const flipDocumentId =
  ({ orm }: Dependencies) =>
  async ({ jobId }: JobInput): Promise<boolean> => {
    const migration = await findMigration(orm.em.fork(), jobId);
    return migration !== undefined && (await flipDocument(orm, migration));
  };
