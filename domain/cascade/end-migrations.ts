import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { jobStatusNumbers } from '../jobs/job.entity.ts';
import { failMigrations, migrationErrors } from '../migrations/fail-migrations.ts';

/** Surrogate keys of deleted resources. A folder stands for the documents directly in it. */
export interface DeletedResources {
  readonly organizations?: readonly string[];
  readonly folders?: readonly string[];
  readonly documents?: readonly string[];
}

const OpenRow = z.strictObject({ job_id: z.string() });

const { pending, in_progress } = jobStatusNumbers;
const isOpen = sql`j.status in (${sql.lit(pending)}, ${sql.lit(in_progress)})`;

/**
 * Fails the open migrations of deleted resources with `document was deleted`. Call it in the deleting transaction after
 * the tombstones: a migration also locks the document before the job. One statement without open migrations, else three.
 */
export async function endMigrationsOf(
  em: EntityManager,
  tenant: { readonly id: string },
  { organizations = [], folders = [], documents = [] }: DeletedResources,
): Promise<void> {
  const open = await rowsOf(
    em,
    OpenRow,
    sql`select r.job_id from id_reservation r where r.org_id = any(${organizations})
      union select m.job_id from migration m join job j on j.id = m.job_id
        where m.document_id = any(${documents}) and m.api_key_id = ${tenant.id} and ${isOpen}
      union select m.job_id from document d join migration m on m.document_id = d.id join job j on j.id = m.job_id
        where d.folder_id = any(${folders}) and d.api_key_id = ${tenant.id} and m.api_key_id = ${tenant.id} and ${isOpen}
      order by job_id`,
  );
  if (open.length === 0) return;
  await failMigrations(em, tenant.id, {
    jobs: open.map(({ job_id }) => job_id),
    from: ['pending', 'in_progress'],
    error: migrationErrors.deleted,
  });
}
