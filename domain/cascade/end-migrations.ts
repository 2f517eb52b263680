import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { failMigrations, migrationErrors } from '../migrations/fail-migrations.ts';

/** Surrogate keys of deleted resources. A folder stands for the documents directly in it. */
export type DeletedResources =
  | { readonly organizations: readonly string[] }
  | { readonly organization: string; readonly folders: readonly string[] }
  | { readonly documents: readonly string[] };

const OpenRow = z.strictObject({ job_id: z.string() });

/**
 * Fails the open migrations of deleted resources with `document was deleted`. Call it in the deleting transaction after
 * the tombstones: a migration also locks the document before the job. One statement without open migrations, else three.
 */
export async function endMigrationsOf(
  em: EntityManager,
  tenant: { readonly id: string },
  deleted: DeletedResources,
): Promise<void> {
  const open = await rowsOf(em, OpenRow, openMigrations(deleted));
  if (open.length === 0) return;
  await failMigrations(em, tenant.id, {
    jobs: open.map(({ job_id }) => job_id),
    from: ['pending', 'in_progress'],
    error: migrationErrors.deleted,
  });
}

/**
 * Every open migration has reservations, which end with it. So a folder's documents are not read one by one. They are
 * locked: one that is being moved out of the folder keeps its migration.
 */
function openMigrations(deleted: DeletedResources) {
  if ('documents' in deleted)
    return sql`select distinct r.job_id from migration m join id_reservation r on r.job_id = m.job_id
      where m.document_id = any(${deleted.documents}) order by r.job_id`;
  if ('folders' in deleted)
    return sql`select distinct l.job_id from (
        select r.job_id from id_reservation r join migration m on m.job_id = r.job_id
          join document d on d.id = m.document_id
        where r.org_id = ${deleted.organization} and d.folder_id = any(${deleted.folders})
        order by d.id for share of d) l
      order by l.job_id`;
  return sql`select distinct r.job_id from id_reservation r where r.org_id = any(${deleted.organizations}) order by r.job_id`;
}
