import { sql } from 'kysely';
import { tablesOf } from '../tables.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { isOpen } from '../jobs/job.entity.ts';
import { startableJob, type SpecialWorkflow, type StartableJob } from '../jobs/job-kinds.ts';
import { jobKindOf } from './job-kinds.ts';

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
    .returning(['j.kind', 'j.public_id', 'k.public_id as key_id', 'j.organization_ext_id', 'j.request_id'])
    .returning(sql<SpecialWorkflow | null>`j.request ->> 'workflow'`.as('workflow'))
    .execute();
  return due.map(({ kind, public_id, key_id, organization_ext_id, request_id, workflow }) =>
    startableJob(
      jobKindOf(kind),
      { jobId: public_id, keyId: key_id, organizationId: organization_ext_id, requestId: request_id },
      workflow ?? undefined,
    ),
  );
}
