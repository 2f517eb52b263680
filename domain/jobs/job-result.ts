import type { EntityManager } from '../../platform/database/orm.ts';
import { row } from '../../platform/database/sql.ts';
import { jobStatusNumbers } from './job.entity.ts';
import { epochMilliseconds } from './job-times.ts';

/** What a migration or a deletion has come to. Holds numbers and texts of ours, no ids of a customer. */
export interface EndedJob {
  readonly status: 'completed' | 'failed';
  /** Records by kind: what a document held, or what was deleted or, by a dry run, counted. */
  readonly counts: Readonly<Record<string, number>>;
  /** Null for what is not verified: a failed job, a dry run. */
  readonly verified: boolean | null;
  /** Null for a job that ended before it began. */
  readonly durationMs: number | null;
  readonly error: string | null;
}

interface ResultRow extends Omit<EndedJob, 'status' | 'counts'> {
  readonly status: number;
  readonly counts: EndedJob['counts'] | null;
}

/** Undefined for a job that has not ended, is of another kind, or is gone. */
export async function readJobResult(em: EntityManager, jobId: string): Promise<EndedJob | undefined> {
  const found = await row<ResultRow>(
    em,
    `select j.status, j.error, coalesce(m.counts, d.counts) as counts,
       case when j.status = $2 then coalesce(m.verified, case when not d.dry_run then d.verified_at is not null end) end as verified,
       ${epochMilliseconds('j.ended_at')} - ${epochMilliseconds('j.started_at')} as "durationMs"
     from job j left join migration m on m.job_id = j.id left join user_data_deletion d on d.job_id = j.id
     where j.public_id = $1 and j.ended_at is not null and coalesce(m.job_id, d.job_id) is not null`,
    [jobId, jobStatusNumbers.completed],
  );
  if (found === undefined) return undefined;
  const status = found.status === jobStatusNumbers.completed ? 'completed' : 'failed';
  return { ...found, status, counts: found.counts ?? {} };
}
