import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { inIndexOrder, readByIndex } from '../../platform/database/planner.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { maxBigint } from '../bigint-range.ts';
import { maxExamined } from '../page-limit.ts';
import { isOpenJob, jobStatusNumbers } from './job.entity.ts';
import { jobColumns, JobRow, type JobFilter, type JobPage } from './read-jobs.ts';

/** The workspace whose jobs are read, by its surrogate key. */
export interface WorkspaceOfJobs {
  readonly workspaceId: string;
}

/** `boundary`: older jobs were not examined. Always at least one row: one without a job when none matches. */
const FoundRow = z.union([
  JobRow.extend({ boundary: z.string().nullable() }),
  z.looseObject({ id: z.null(), boundary: z.string().nullable() }),
]);

/**
 * Lists jobs of all keys of a workspace, except deleted ones, that are older than `before`, newest first. Examines max
 * 20,000 jobs, the same number for each key, and returns those that are newer than every job it has not examined.
 */
export async function readWorkspaceJobs(
  em: EntityManager,
  { workspaceId }: WorkspaceOfJobs,
  { kind, status }: Pick<JobFilter, 'kind' | 'status'>,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<JobPage> {
  const ofKind = kind === undefined ? sql`true` : sql`kind = ${kind}`;
  const ofStatus = status === undefined ? sql`true` : sql`status = ${jobStatusNumbers[status]}`;
  // Open jobs are few even for keys with many jobs, so their index is used.
  const open = status === 'pending' || status === 'in_progress' ? sql.raw(isOpenJob) : sql`true`;
  const perKey = status === undefined ? sql`least(${limit + 1}::int, share)` : sql`share`;
  const statement = sql`
    with keys as materialized (
      select id, greatest(1, ${sql.lit(maxExamined)} / count(*) over ())::int as share from api_key
      where workspace_id = ${workspaceId} and deleted_at is null),
    examined as materialized (
      select j.* from keys cross join lateral (
        select id, status, row_number() over (order by id desc) = ${perKey} as last from job
        where api_key_id = keys.id and ${ofKind} and ${open} and id < ${before ?? maxBigint}
        order by id desc limit ${perKey}) j),
    total as (select max(id) filter (where last) as boundary from examined),
    matching as (
      select id from examined where ${ofStatus} and id >= coalesce((select boundary from total), 0)
      order by id desc limit ${limit + 1})
    select f.*, total.boundary from total left join lateral (
      select ${jobColumns} from job where id in (select id from matching)) f on true
    order by f.id desc`;
  const found = await readByIndex(em, async (reading) => rowsOf(reading, FoundRow, statement), inIndexOrder);
  const jobs = found.filter((row): row is z.infer<(typeof FoundRow)['options'][0]> => row.id !== null);
  if (jobs.length > limit) return { jobs: jobs.slice(0, limit), next: jobs[limit - 1]?.id };
  return { jobs, next: found[0]?.boundary ?? undefined };
}
