import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { maxBigint } from '../bigint-range.ts';
import { maxExamined } from '../page-limit.ts';
import { jobStatusNumbers, type JobStatus } from './job.entity.ts';

/** `id` is the surrogate key, which orders jobs by creation. */
export const JobRow = z.strictObject({
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
  api_key_id: z.string(),
  /** Public id of the API key; null once the key is deleted. */
  key_id: z.string().nullable(),
});
export type JobRow = z.infer<typeof JobRow>;

/** SQL: the columns of a `JobRow`, from `job`. */
export const jobColumns = sql`${sql.join(
  Object.keys(JobRow.shape)
    .filter((column) => column !== 'key_id')
    .map((column) => sql.ref(column)),
)}, (select k.public_id from api_key k where k.id = job.api_key_id
  and k.deleted_at is null) as key_id`;

/** The jobs that a call may read: those of an API key, by its surrogate key, or, for operators, of every key. */
export type JobOwner = { readonly tenantId: string } | { readonly everyKey: true };

/** SQL: whether a row of `job` is the owner's. */
export const ownedBy = (owner: JobOwner) =>
  'everyKey' in owner ? sql`true` : sql`api_key_id = ${owner.tenantId}`;

export interface JobFilter {
  /** The number of a kind. */
  readonly kind?: number | undefined;
  readonly status?: JobStatus | undefined;
  /** In milliseconds: only jobs that were created before it. */
  readonly createdBefore?: number | undefined;
}

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
  owner: JobOwner,
  { kind, status, createdBefore }: JobFilter,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<JobPage> {
  // Separate SQL texts, so that PostgreSQL plans each one for its own index.
  const ofKind = kind === undefined ? sql`true` : sql`kind = ${kind}`;
  const ofStatus = status === undefined ? sql`true` : sql`status = ${jobStatusNumbers[status]}`;
  const old =
    createdBefore === undefined ? sql`true` : sql`created_at < to_timestamp(${createdBefore}::float8 / 1000)`;
  const every = 'everyKey' in owner;
  // The index leads by status for jobs of every key, and by kind for one key. The other condition is a filter.
  const [entry, rest] = every ? [ofStatus, ofKind] : [sql`${ownedBy(owner)} and ${ofKind}`, ofStatus];
  const filtered = createdBefore !== undefined || (every ? kind : status) !== undefined;
  const from = createdBefore === undefined ? sql.raw(maxBigint) : newestBefore(old);
  const matches = sql`${rest} and ${old}`;
  const examined = filtered ? maxExamined : limit + 1;
  const found = await rowsOf(
    em,
    PageRow,
    sql`with examined as materialized (
        select id, kind, status, created_at from job where ${entry} and id < ${before ?? maxBigint} and id <= ${from}
        order by id desc limit ${examined}),
      matching as (select id from examined where ${matches} order by id desc limit ${limit + 1}),
      total as (select min(id) as last, count(*) as examined from examined)
      select f.*, (select last from total where examined = ${examined}) as last_examined
      from total left join lateral (
        select ${jobColumns} from job where id in (select id from matching)) f on true
      order by f.id desc`,
  );
  const jobs = found.filter((row): row is z.infer<typeof FoundRow> => row.id !== null);
  if (jobs.length > limit) return { jobs: jobs.slice(0, limit), next: jobs[limit - 1]?.id };
  // Without a filter, every examined job is on the page.
  const lastExamined = filtered ? (found[0]?.last_examined ?? undefined) : undefined;
  return { jobs, next: lastExamined };
}

/**
 * SQL: the surrogate key from which jobs created before a time are listed. The time is that of the transaction's start,
 * so surrogate keys are not strictly in its order: the greatest key is taken among the newest 1,000 jobs.
 */
const newestBefore = (old: RawBuilder<unknown>) => sql`coalesce((select max(id) from (
  select id from job where ${old} order by created_at desc limit 1000) newest), 0)`;
