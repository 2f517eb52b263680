import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf, rowsOf } from '../../platform/database/statements.ts';
import { isOpenJob, jobStatusNumbers, type JobStatus } from '../jobs/job.entity.ts';
import {
  awaitsWorker,
  endpointsWithPending,
  isPending,
  oldestEvents,
} from '../webhooks/delivery/find-waiting.ts';
import { isSuspendedKey } from '../workspaces/key-activity.ts';
import { dailyTableNames } from './day-partitions.ts';
import { sweepSteps } from './sweep-steps.ts';

/** Max index entries that a count reads, and max keys, endpoints or jobs that are examined for an age. */
export const maxCounted = 10_000;

/** A number of rows, capped at `maxCounted`, and the age of the oldest in seconds; 0 when there is none. */
const BacklogRow = z.strictObject({ rows: z.number(), oldest_seconds: z.number() });
export type Backlog = z.infer<typeof BacklogRow>;

const counted = (rows: RawBuilder<unknown>) =>
  sql`(select count(*)::int from (${rows} limit ${sql.lit(maxCounted)}) counted)`;

const secondsSince = (moment: RawBuilder<unknown>) =>
  sql`greatest(0, coalesce(extract(epoch from now() - ${moment}), 0))::float8`;

const backlogOf = async (em: EntityManager, statement: RawBuilder<unknown>): Promise<Backlog> =>
  onlyRowOf(em, BacklogRow, statement);

/** Counts events that are not distributed to endpoints. The age excludes events of disabled keys. */
export const readOutboxBacklog = async (em: EntityManager): Promise<Backlog> =>
  backlogOf(
    em,
    sql`with recursive oldest as (${oldestEvents()})
     select ${counted(sql`select from outbox where api_key_id > 0`)} as rows,
       ${secondsSince(sql`(select min(event_at) from (select * from oldest limit ${sql.lit(maxCounted)}) first
         where not ${isSuspendedKey(sql`first.api_key_id`)})`)} as oldest_seconds`,
  );

/**
 * SQL: whether messages of the endpoint `w` wait for its rate limit. Messages beyond the limit stay due, so an attempt in
 * the last minute is the sign that the endpoint is served: an attempt takes at most 16 s.
 */
const isPaced = sql`(w.rate_limit is not null and coalesce((
  select true from attempt a where a.endpoint_id = w.id and a.at > now() - interval '1 minute' limit 1), false))`;

/**
 * Counts undelivered messages to endpoints, and returns the time since the oldest was due. The time excludes messages
 * that wait for an operator, a customer, another webhook provider or the endpoint's rate limit. `kinds`: kinds of endpoint
 * rows that are served.
 */
export const readMessageBacklog = async (em: EntityManager, kinds: readonly number[]): Promise<Backlog> =>
  backlogOf(
    em,
    sql`with recursive waiting as (${endpointsWithPending()})
     select ${counted(sql`select from delivery where ${isPending} and endpoint_id > 0`)} as rows,
       ${secondsSince(sql`(select min(due.next_at) from (select endpoint_id from waiting limit ${sql.lit(maxCounted)}) x
         cross join lateral (select * from webhook_endpoint e where e.id = x.endpoint_id) w
         cross join lateral (
           select d.next_at from delivery d where d.endpoint_id = w.id and ${isPending}
           order by d.next_at limit 1) due
         where ${awaitsWorker(kinds)} and not ${isPaced})`)} as oldest_seconds`,
  );

// Lets PostgreSQL use the partial index.
const failing = sql`failing_since > '-infinity' and failing_since is not null and disabled_at is null
  and deleted_at is null`;

/**
 * Counts enabled endpoints without a successful attempt since a failed one, and returns the longest time since such a
 * failure. The time excludes endpoints to which nothing is sent: without pending messages, or whose messages wait for an
 * operator, a customer or another webhook provider. `kinds`: kinds of endpoint rows that are served.
 */
export const readFailingEndpoints = async (em: EntityManager, kinds: readonly number[]): Promise<Backlog> =>
  backlogOf(
    em,
    sql`select ${counted(sql`select from webhook_endpoint where ${failing}`)} as rows,
      ${secondsSince(sql`(select min(w.failing_since) from (
        select * from webhook_endpoint where ${failing} order by failing_since limit ${sql.lit(maxCounted)}) w
        cross join lateral (select from delivery d where d.endpoint_id = w.id and ${isPending} limit 1) waiting
        where ${awaitsWorker(kinds)})`)} as oldest_seconds`,
  );

const JobsRow = BacklogRow.extend({ kind: z.number(), status: z.number() });
export type OpenJobs = z.infer<typeof JobsRow>;

/** The statuses of jobs that have not ended. */
const openStatuses = ['pending', 'in_progress'] as const satisfies readonly JobStatus[];

/** Counts the jobs that have not ended, by kind and status. The age excludes jobs of disabled keys. */
export async function readOpenJobs(em: EntityManager, kinds: readonly number[]): Promise<OpenJobs[]> {
  const statuses = openStatuses.map((status) => jobStatusNumbers[status]);
  const matching = sql`j.kind = k.kind and j.status = s.status and j.${sql.raw(isOpenJob)}`;
  return rowsOf(
    em,
    JobsRow,
    sql`select k.kind, s.status, ${counted(sql`select from job j where ${matching}`)} as rows,
        ${secondsSince(sql`(select min(old.created_at) from (
          select j.created_at, j.api_key_id from job j where ${matching} order by j.created_at limit ${sql.lit(maxCounted)}) old
          where not ${isSuspendedKey(sql`old.api_key_id`)})`)} as oldest_seconds
      from unnest(${kinds}::smallint[]) k (kind) cross join unnest(${statuses}::smallint[]) s (status)`,
  );
}

const PartitionRow = z.strictObject({ name: z.string(), rows: z.number() });

/**
 * Counts the rows in the default partition of each table with daily partitions. Rows exist only if a day's partition was
 * missing.
 */
export async function readDefaultPartitions(em: EntityManager): Promise<z.infer<typeof PartitionRow>[]> {
  const counts = dailyTableNames.map(
    (name) =>
      sql`select ${sql.lit(name)} as name, ${counted(sql`select from ${sql.table(`${name}_default`)}`)} as rows`,
  );
  return rowsOf(em, PartitionRow, sql.join(counts, sql` union all `));
}

const StepRow = z.strictObject({
  name: z.string(),
  succeeded_at: z.number(),
  rotated_at: z.number().nullable(),
});

/**
 * Returns the Unix times of the last success of each step of the sweep, and of its last rotation of partitions; 0 for a step
 * that has never succeeded although another one has.
 */
export async function readSweepSteps(em: EntityManager): Promise<z.infer<typeof StepRow>[]> {
  return rowsOf(
    em,
    StepRow,
    sql`select s.name, coalesce(extract(epoch from x.succeeded_at), 0)::float8 as succeeded_at,
        extract(epoch from x.rotated_at)::float8 as rotated_at
      from unnest(${sweepSteps}::text[]) as s (name) left join sweep_step x on x.name = s.name
      where exists (select from sweep_step) order by s.name`,
  );
}
