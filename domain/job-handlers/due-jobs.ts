import { sql } from 'kysely';
import { tablesOf } from '../tables.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { isOpen } from '../jobs/job.entity.ts';
import type { StartableJob } from '../jobs/job-kinds.ts';
import { startableColumns, startableOf } from './startable-row.ts';

/** Max jobs per sweep. */
const maxJobs = 200;

/**
 * Claims open jobs whose workflow may be missing: accepted 10 s ago, or claimed last 1 minute ago. Claimed jobs move to the
 * end of the queue, so that long-running ones do not delay a lost one.
 */
export async function claimDueJobs(em: EntityManager): Promise<StartableJob[]> {
  const due = await tablesOf(em)
    .with('due', (tables) =>
      tables
        .selectFrom('job')
        .select('id')
        .where(sql<boolean>`${sql.raw(isOpen)} and next_sweep_at <= now()`)
        .orderBy('next_sweep_at')
        .limit(sql.lit(maxJobs))
        .forNoKeyUpdate()
        .skipLocked(),
    )
    .updateTable('job as j')
    .from(['due', 'api_key as k'])
    .set({ next_sweep_at: sql`now() + interval '1 minute'` })
    .whereRef('j.id', '=', 'due.id')
    .whereRef('k.id', '=', 'j.api_key_id')
    .returning(startableColumns)
    .execute();
  return due.map(startableOf);
}
