import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf } from '../../platform/database/statements.ts';
import { tablesOf } from '../tables.ts';
import { isOpenJob } from '../jobs/job.entity.ts';
import { isActive } from '../workspaces/key-activity.ts';
import { outlastsKey } from '../jobs/stopped-jobs.ts';
import type { StartableJob } from '../jobs/job-kinds.ts';
import { isJobKind } from './job-kinds.ts';
import { startableColumns, startableOf } from './startable-row.ts';

/** Max jobs per claim. */
const maxJobs = 200;

/**
 * Max checks of running jobs per second. A running job is checked after 1 minute, or later when this rate would be
 * exceeded.
 */
const maxChecksPerSecond = 15;

/** Max open jobs that are counted to compute the delay of checks. */
const maxCounted = 20_000;

/** Max jobs that are resumed at once. `claimDueJobs`, which checks jobs of disabled keys every hour, finds the others. */
const maxResumed = 5_000;

/** SQL: whether the job `j` of the key `k` may proceed. */
const mayProceed = sql<boolean>`(${isActive} or ${outlastsKey})`;

export interface ClaimedJobs {
  readonly due: readonly StartableJob[];
  /** Whether further jobs may be due. */
  readonly more: boolean;
}

/**
 * Claims up to 200 open jobs whose workflow may be missing: accepted 10 s ago, or last claimed 1 minute ago. Claimed jobs
 * move to the end of the queue, so that jobs that run longer do not delay a lost one. Jobs of disabled keys are checked
 * again after 1 hour.
 */
export async function claimDueJobs(em: EntityManager): Promise<ClaimedJobs> {
  const claimed = await tablesOf(em)
    .with('due', (tables) =>
      tables
        .selectFrom('job')
        .select('id')
        .where(sql<boolean>`${sql.raw(isOpenJob)} and next_sweep_at <= now()`)
        .orderBy('next_sweep_at')
        .limit(sql.lit(maxJobs))
        .forNoKeyUpdate()
        .skipLocked(),
    )
    .updateTable('job as j')
    .from(['due', 'api_key as k'])
    .set({
      next_sweep_at: sql`now() + case when ${mayProceed} then interval '1 minute' else interval '1 hour' end`,
    })
    .whereRef('j.id', '=', 'due.id')
    .whereRef('k.id', '=', 'j.api_key_id')
    .returning([...startableColumns, mayProceed.as('proceeds')])
    .execute();
  return {
    due: claimed.filter(({ kind, proceeds }) => proceeds && isJobKind(kind)).map(startableOf),
    more: claimed.length === maxJobs,
  };
}

/**
 * Moves the next check of claimed jobs whose workflows run. Without this, checks of running jobs after 1 minute each
 * would take Temporal's capacity from jobs that have not started.
 */
export async function postponeChecks(em: EntityManager, jobIds: readonly string[]): Promise<void> {
  const open = sql`(select count(*) from (select from job where ${sql.raw(isOpenJob)} and next_sweep_at > '-infinity'
    limit ${sql.lit(maxCounted)}) open)`;
  await tablesOf(em)
    .updateTable('job')
    .set({
      next_sweep_at: sql`now() + greatest(60, ${open} / ${sql.lit(maxChecksPerSecond)}) * interval '1 second'`,
    })
    .where('public_id', '=', anyOf(jobIds))
    .where(sql.raw<boolean>(isOpenJob))
    .execute();
}

/** Makes every open job due for the sweep, 5,000 per transaction. */
export async function makeOpenJobsDue(em: EntityManager): Promise<void> {
  for (;;) {
    const { numUpdatedRows } = await tablesOf(em)
      .updateTable('job')
      .set({ next_sweep_at: sql`now()` })
      .where(
        'id',
        '=',
        sql<string>`any(array(select id from job where ${sql.raw(isOpenJob)} and next_sweep_at > now()
          order by next_sweep_at limit ${sql.lit(maxResumed)}))`,
      )
      .executeTakeFirstOrThrow();
    if (numUpdatedRows < maxResumed) return;
  }
}

/** Makes up to 5,000 open jobs of these keys due for the sweep, and returns up to 200 of them to start at once. */
export async function resumeJobs(em: EntityManager, tenantIds: readonly string[]): Promise<StartableJob[]> {
  const resumed = await tablesOf(em)
    .with('open', (tables) =>
      tables
        .selectFrom(sql<{ id: string }>`unnest(${tenantIds}::bigint[])`.as<'key'>(sql`key (id)`))
        .crossJoinLateral((row) =>
          row
            .selectFrom('job')
            .select('job.id as job_id')
            .whereRef('job.api_key_id', '=', 'key.id')
            .where(sql.raw<boolean>(isOpenJob))
            .orderBy('job.id')
            .limit(sql.lit(maxResumed))
            .as('j'),
        )
        .select('j.job_id')
        .limit(sql.lit(maxResumed)),
    )
    .with('due', (tables) =>
      tables
        .updateTable('job')
        .set({ next_sweep_at: sql`now()` })
        .where('id', '=', sql<string>`any(array(select job_id from open))`)
        .returning('id'),
    )
    .selectFrom('job as j')
    .innerJoin('api_key as k', 'k.id', 'j.api_key_id')
    .select([...startableColumns])
    .where('j.id', '=', sql<string>`any(array(select id from due limit ${sql.lit(maxJobs)}))`)
    .execute();
  return resumed.filter(({ kind }) => isJobKind(kind)).map(startableOf);
}
