import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { inIndexOrder, readByIndex } from '../../platform/database/planner.ts';
import { onlyRowOf } from '../../platform/database/statements.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { isOpenJob, jobStatusNumbers } from './job.entity.ts';
import { deletionKind } from './job-kinds.ts';

/** Max jobs that are counted: the oldest open ones, and the newest ones for those that failed. */
export const maxCountedJobs = 10_000;

const CountsRow = z.strictObject({
  pending: z.number(),
  in_progress: z.number(),
  failed: z.number(),
  deletions: z.number(),
  late: z.number(),
  /** When the oldest open deletion of user data was accepted. */
  oldest_deletion: z.date().nullable(),
});
export type JobCounts = z.infer<typeof CountsRow>;

/** Counts the jobs of a key by status, and its open deletions of user data. */
export async function countJobs(em: EntityManager, tenant: Pick<Tenant, 'id'>): Promise<JobCounts> {
  const { pending, in_progress, failed } = jobStatusNumbers;
  const isDeletion = sql`kind = ${sql.lit(deletionKind.number)}`;
  return readByIndex(
    em,
    async (reading) =>
      onlyRowOf(
        reading,
        CountsRow,
        sql`with open as (
            select kind, status, late_at, created_at from job where api_key_id = ${tenant.id} and ${sql.raw(isOpenJob)}
            order by id limit ${sql.lit(maxCountedJobs)}),
          newest as (
            select status from job where api_key_id = ${tenant.id} order by id desc limit ${sql.lit(maxCountedJobs)})
          select count(*) filter (where status = ${sql.lit(pending)})::int as pending,
            count(*) filter (where status = ${sql.lit(in_progress)})::int as in_progress,
            (select count(*)::int from newest where status = ${sql.lit(failed)}) as failed,
            count(*) filter (where ${isDeletion})::int as deletions,
            count(*) filter (where ${isDeletion} and late_at is not null)::int as late,
            min(created_at) filter (where ${isDeletion}) as oldest_deletion
          from open`,
      ),
    inIndexOrder,
  );
}
