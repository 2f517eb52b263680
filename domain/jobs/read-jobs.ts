import type { EntityManager } from '../../platform/database/orm.ts';
import { row, rows } from '../../platform/database/sql.ts';
import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { jobStatusNumbers, type JobProgress, type JobStatus } from './job.entity.ts';
import { jobKindNumber, type JobKind } from './job-kinds.ts';
import { epochMilliseconds } from './job-times.ts';

/** A job as it stands; times are milliseconds. `id` is the surrogate key, which orders jobs by their creation. */
export interface JobRow {
  readonly id: string;
  readonly public_id: string;
  readonly kind: number;
  readonly status: number;
  readonly progress: JobProgress | null;
  readonly error: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly late: boolean;
}

const columns = `id, public_id, kind, status, progress, error, late_at is not null as late,
  ${epochMilliseconds('created_at')} as created_at, ${epochMilliseconds('started_at')} as started_at,
  ${epochMilliseconds('ended_at')} as ended_at`;

/** Throws NOT_FOUND for a job that is not this tenant's. */
export async function readJob(em: EntityManager, tenant: Tenant, jobId: string): Promise<JobRow> {
  const found = await row<JobRow>(em, `select ${columns} from job where api_key_id = $1 and public_id = $2`, [
    tenant.id,
    jobId,
  ]);
  if (found === undefined) throw notFound(messages.jobMissing);
  return found;
}

export interface JobFilter {
  readonly kind?: JobKind | undefined;
  readonly status?: JobStatus | undefined;
}

/** Jobs of which one call looks at the status at most: a filter that fits few of many answers a short page. */
const examined = 20_000;

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
  // Two texts, because each walks along an index of its own.
  const ofKind = kind === undefined ? '$5::smallint is null' : 'kind = $5';
  const found = await rows<JobRow & { readonly last_examined: string | null }>(
    em,
    `with walked as materialized (
       select id, status from job where api_key_id = $1 and id < $2 and ${ofKind} order by id desc limit $6),
     fitting as (select id from walked where $4::smallint is null or status = $4 order by id desc limit $3),
     walk as (select min(id) as last, count(*) as walked from walked)
     select f.*, (select last from walk where walked = $6) as last_examined
     from walk left join lateral (
       select ${columns} from job where id in (select id from fitting)) f on true
     order by f.id desc`,
    [
      tenant.id,
      before ?? '9223372036854775807',
      limit + 1,
      status === undefined ? null : jobStatusNumbers[status],
      kind === undefined ? null : jobKindNumber(kind),
      status === undefined ? limit + 1 : examined,
    ],
  );
  const jobs = found.filter(({ id }) => id !== null);
  if (jobs.length > limit) return { jobs: jobs.slice(0, limit), next: jobs[limit - 1]?.id };
  // Without a filter the walk was one row longer than the page, and that one is in it.
  const walkedOn = status === undefined ? undefined : (found[0]?.last_examined ?? undefined);
  return { jobs, next: walkedOn };
}
