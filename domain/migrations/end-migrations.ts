import type { EntityManager } from '../../platform/database/orm.ts';
import { rows } from '../../platform/database/sql.ts';
import { failMigrations, migrationErrors } from './fail-migrations.ts';

/** Surrogate keys of what is deleted. Of a folder, the documents that are directly in it. */
export interface DeletedResources {
  readonly organizations?: readonly string[];
  readonly folders?: readonly string[];
  readonly documents?: readonly string[];
}

/**
 * Ends the live migrations of what is deleted, in the transaction that deletes it: failed, `document was deleted`.
 * Call it after the tombstones are written: a migration's flip takes the rows in that order too, document before job.
 * One statement when there is no such migration, three when there are any.
 */
export async function endMigrationsOf(
  em: EntityManager,
  tenant: { readonly id: string },
  { organizations = [], folders = [], documents = [] }: DeletedResources,
): Promise<void> {
  const live = await rows<{ job_id: string }>(
    em,
    `select r.job_id from id_reservation r where r.org_id = any($2)
     union select m.job_id from migration m join job j on j.id = m.job_id
       where m.document_id = any($4) and m.api_key_id = $1 and j.status in (0, 1)
     union select m.job_id from document d join migration m on m.document_id = d.id join job j on j.id = m.job_id
       where d.folder_id = any($3) and d.api_key_id = $1 and m.api_key_id = $1 and j.status in (0, 1)
     order by job_id`,
    [tenant.id, organizations, folders, documents],
  );
  if (live.length === 0) return;
  await failMigrations(em, tenant.id, {
    jobs: live.map(({ job_id }) => job_id),
    from: ['pending', 'in_progress'],
    error: migrationErrors.deleted,
  });
}
