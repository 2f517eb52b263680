import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf } from '../../platform/database/statements.ts';
import { deletionKind } from '../jobs/job-kinds.ts';
import { tablesOf } from '../tables.ts';

/**
 * Marks the jobs of deletions that a backup contains before their end, as `createJob` marks those that start again. They
 * then run although their API key is disabled, and cannot be canceled. Public ids.
 */
export async function markReplayed(em: EntityManager, jobIds: readonly string[]): Promise<void> {
  if (jobIds.length === 0) return;
  await tablesOf(em)
    .updateTable('job')
    .set({
      request: sql`(coalesce(request::jsonb, '{}') || '{"replayed": true}')::json`,
      next_sweep_at: sql`now()`,
    })
    .where('public_id', '=', anyOf(jobIds))
    .where('kind', '=', deletionKind.number)
    .where(sql<boolean>`(request ->> 'replayed') is null`)
    .execute();
}
