import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf, rowsOf } from '../../platform/database/statements.ts';
import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { jobStatusNumbers, type JobStatus } from './job.entity.ts';

/** `id` is the surrogate key, which orders jobs by creation. */
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
  request_id: z.string().nullable(),
});
export type JobRow = z.infer<typeof JobRow>;

const columns = sql.join(Object.keys(JobRow.shape).map((column) => sql.ref(column)));

/** Throws NOT_FOUND when the tenant has no such job. */
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

/** Max jobs examined per call: a status that few jobs have returns a short page. */
const maxExamined = 20_000;

const FoundRow = JobRow.extend({ last_examined: z.string().nullable() });
/** Always at least one row: one without a job when none matches. */
const PageRow = z.union([FoundRow, z.looseObject({ id: z.null(), last_examined: z.string().nullable() })]);

export interface JobPage {
  readonly jobs: readonly JobRow[];
  /** The surrogate key after which the next page starts; undefined at the end. */
  readonly next?: string | undefined;
}

/** Lists jobs older than `before`, newest first. */
export async function readJobs(
  em: EntityManager,
  tenant: Tenant,
  { kind, status }: JobFilter,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<JobPage> {
  // Separate texts: each is planned for its own index.
  const ofKind = kind === undefined ? sql`true` : sql`kind = ${kind}`;
  const matches = status === undefined ? sql`true` : sql`status = ${jobStatusNumbers[status]}`;
  const examined = status === undefined ? limit + 1 : maxExamined;
  const found = await rowsOf(
    em,
    PageRow,
    sql`with examined as materialized (
        select id, status from job where api_key_id = ${tenant.id} and id < ${before ?? '9223372036854775807'} and ${ofKind}
        order by id desc limit ${examined}),
      matching as (select id from examined where ${matches} order by id desc limit ${limit + 1}),
      total as (select min(id) as last, count(*) as examined from examined)
      select f.*, (select last from total where examined = ${examined}) as last_examined
      from total left join lateral (
        select ${columns} from job where id in (select id from matching)) f on true
      order by f.id desc`,
  );
  const jobs = found.filter((row): row is z.infer<typeof FoundRow> => row.id !== null);
  if (jobs.length > limit) return { jobs: jobs.slice(0, limit), next: jobs[limit - 1]?.id };
  // Without a status every examined job is on the page, so a shorter page is the last one.
  const lastExamined = status === undefined ? undefined : (found[0]?.last_examined ?? undefined);
  return { jobs, next: lastExamined };
}
