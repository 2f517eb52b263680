import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import type { Counts } from './migration.entity.ts';

/** Input of a migration's activities: surrogate keys, and the customer's ids before and after the move. */
export interface ActiveMigration {
  readonly job_id: string;
  readonly public_id: string;
  readonly api_key_id: string;
  readonly organization_ext_id: string;
  readonly org_id: string;
  readonly document_id: string;
  readonly old_ext_id: string;
  readonly new_ext_id: string;
  /** Whether `storeCounts` has stored counts. */
  readonly is_counted: boolean;
}

/** The tenant comes from the row, never from an activity's argument. */
export async function findMigration(em: EntityManager, jobId: string): Promise<ActiveMigration | undefined> {
  return tablesOf(em)
    .selectFrom('job as j')
    .innerJoin('migration as m', 'm.job_id', 'j.id')
    .select(['m.job_id', 'j.public_id', 'm.api_key_id', 'j.organization_ext_id', 'm.org_id', 'm.document_id'])
    .select(['m.old_ext_id', 'm.new_ext_id', sql<boolean>`m.counts is not null`.as('is_counted')])
    .where('j.public_id', '=', jobId)
    .$narrowType<{ organization_ext_id: string }>()
    .executeTakeFirst();
}

/**
 * Stores the counts with the migration, and their sum as the total of its job. No effect once the document has its new
 * id: a late attempt would count what was written since.
 */
export async function storeCounts(
  em: EntityManager,
  migration: ActiveMigration,
  counts: Counts,
): Promise<void> {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const { job_id, api_key_id } = migration;
  await sql`with counted as (
      update migration set counts = ${JSON.stringify(counts)}
      where job_id = ${job_id} and api_key_id = ${api_key_id} and flipped_at is null returning job_id)
    update job set progress = json_build_object('done', 0, 'total', ${total}::bigint)
    from counted where id = ${job_id} and api_key_id = ${api_key_id} and ended_at is null`.execute(
    tablesOf(em),
  );
}
