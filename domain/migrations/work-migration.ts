import type { EntityManager } from '../../platform/database/orm.ts';
import { row, rows } from '../../platform/database/sql.ts';

/** A migration as its activities work with it; surrogate keys, and the customer's ids that it moves between. */
export interface WorkedMigration {
  readonly job_id: string;
  readonly public_id: string;
  readonly api_key_id: string;
  readonly organization_ext_id: string;
  readonly org_id: string;
  readonly document_id: string;
  readonly old_ext_id: string;
  readonly new_ext_id: string;
}

/** The tenant comes from the row: an argument is never trusted alone. */
export async function findMigration(em: EntityManager, jobId: string): Promise<WorkedMigration | undefined> {
  return row<WorkedMigration>(
    em,
    `select m.job_id, j.public_id, m.api_key_id, j.organization_ext_id, m.org_id, m.document_id, m.old_ext_id, m.new_ext_id
     from job j join migration m on m.job_id = j.id where j.public_id = $1`,
    [jobId],
  );
}

/** Records of a document by kind. */
export type Counts = Readonly<Record<string, number>>;

/** Keeps them with the migration, and their sum with its job: what a move has to move at once. */
export async function storeCounts(
  em: EntityManager,
  migration: WorkedMigration,
  counts: Counts,
): Promise<void> {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  await rows(
    em,
    `with counted as (update migration set counts = $3 where job_id = $1 and api_key_id = $2)
     update job set progress = json_build_object('done', 0, 'total', $4::bigint)
     where id = $1 and api_key_id = $2 and ended_at is null`,
    [migration.job_id, migration.api_key_id, JSON.stringify(counts), total],
  );
}
