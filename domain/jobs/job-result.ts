import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import { jobStatusNumbers } from './job.entity.ts';

/**
 * The result of a migration or deletion, and the memo `result` of its workflow. Contains numbers and fixed texts, no
 * customer's ids.
 */
export interface JobResult {
  readonly status: 'completed' | 'failed';
  /** Records by kind: moved, deleted or, in a dry run, counted. */
  readonly counts: Readonly<Record<string, number>>;
  /** Null for a failed job and for a dry run. */
  readonly verified: boolean | null;
  /** Null for a job that ended before it started. */
  readonly durationMs: number | null;
  readonly error: string | null;
}

/** Returns undefined for a job that has not ended, is of another kind, or does not exist. */
export async function readJobResult(em: EntityManager, jobId: string): Promise<JobResult | undefined> {
  const found = await tablesOf(em)
    .selectFrom('job as j')
    .leftJoin('migration as m', 'm.job_id', 'j.id')
    .leftJoin('user_data_deletion as d', 'd.job_id', 'j.id')
    .select(['j.status', 'j.error', 'j.started_at', 'j.ended_at', 'm.verified', 'd.dry_run', 'd.verified_at'])
    .select(sql<JobResult['counts'] | null>`coalesce(m.counts, d.counts)`.as('counts'))
    .where('j.public_id', '=', jobId)
    .where('j.ended_at', 'is not', null)
    .where(sql<boolean>`coalesce(m.job_id, d.job_id) is not null`)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const { error, counts, started_at: from, ended_at: to } = found;
  const verified = found.verified ?? (found.dry_run === false ? found.verified_at !== null : null);
  return {
    status: found.status === jobStatusNumbers.completed ? 'completed' : 'failed',
    counts: counts ?? {},
    verified: found.status === jobStatusNumbers.completed ? verified : null,
    durationMs: from && to && to.getTime() - from.getTime(),
    error,
  };
}
