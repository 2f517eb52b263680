import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf, rowsOf } from '../../platform/database/statements.ts';
import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { jobStatusNumbers, type JobStatus } from './job.entity.ts';

/** A job as it stands. `id` is the surrogate key, which orders jobs by their creation. */
const JobRow = z.strictObject({
  id: z.string(),
  public_id: z.string(),
  kind: z.number(),
  status: z.number(),
  progress: z.strictObject({ done: z.number(), total: z.number().nullable() }).nullable(),
  error: z.string().nullable(),
  created_at: z.date(),
  started_at: z.date().nullable(),
  ended_at: z.date().nullable(),
  late_at: z.date().nullable(),
});
export type JobRow = z.infer<typeof JobRow>;

const columns = sql.join(Object.keys(JobRow.shape).map((column) => sql.ref(column)));

/** Throws NOT_FOUND for a job that is not this tenant's. */
export async function readJob(em: EntityManager, tenant: Tenant, jobId: string): Promise<JobRow> {
  const found = await rowOf(
    em,
    JobRow,
    sql`select ${columns} from job where api_key_id = ${tenant.id} and public_id = ${jobId}`,
  );
  if (found === undefined) throw notFound(messages.jobMissing);
  return found;
}

export interface JobFilter {
  /** The number of a kind. */
  readonly kind?: number | undefined;
  readonly status?: JobStatus | undefined;
}

/** Jobs of which one call looks at the status at most: a filter that fits few of many answers a short page. */
const examined = 20_000;

const FoundRow = JobRow.extend({ last_examined: z.string().nullable() });
/** One row at least, without a job where none fits. */
const PageRow = z.union([FoundRow, z.looseObject({ id: z.null(), last_examined: z.string().nullable() })]);

export interface JobPage {
  readonly jobs: readonly JobRow[];
  /** The surrogate key behind which the next page starts; absent at the end. */
  readonly next?: string | undefined;
}

/** Newest first, those older than `before`. */
export async function readJobs(
  em: EntityManager,
  tenant: Tenant,
  { kind, status }: JobFilter,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<JobPage> {
  // Texts of their own, because each walks along an index of its own.
  const ofKind = kind === undefined ? sql`true` : sql`kind = ${kind}`;
  const fits = status === undefined ? sql`true` : sql`status = ${jobStatusNumbers[status]}`;
  const walked = status === undefined ? limit + 1 : examined;
  const found = await rowsOf(
    em,
    PageRow,
    sql`with walked as materialized (
        select id, status from job where api_key_id = ${tenant.id} and id < ${before ?? '9223372036854775807'} and ${ofKind}
        order by id desc limit ${walked}),
      fitting as (select id from walked where ${fits} order by id desc limit ${limit + 1}),
      walk as (select min(id) as last, count(*) as walked from walked)
      select f.*, (select last from walk where walked = ${walked}) as last_examined
      from walk left join lateral (
        select ${columns} from job where id in (select id from fitting)) f on true
      order by f.id desc`,
  );
  const jobs = found.filter((row): row is z.infer<typeof FoundRow> => row.id !== null);
  if (jobs.length > limit) return { jobs: jobs.slice(0, limit), next: jobs[limit - 1]?.id };
  // Without a filter the walk was one row longer than the page, and that one is in it.
  const walkedOn = status === undefined ? undefined : (found[0]?.last_examined ?? undefined);
  return { jobs, next: walkedOn };
}
