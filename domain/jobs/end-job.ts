import { sql } from 'kysely';
import { tablesOf } from '../tables.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { identity, type WorkedJob } from './begin-job.ts';
import { jobStatusNumbers } from './job.entity.ts';

const done = sql`coalesce((progress ->> 'done')::bigint, 0)`;

/** Adds to what a job has done, in the transaction that did it: a repeated step counts once. */
export async function addProgress(em: EntityManager, job: WorkedJob, records: number): Promise<void> {
  await tablesOf(em)
    .updateTable('job')
    .set({ progress: sql`json_build_object('done', ${done} + ${records}::bigint, 'total', null)` })
    .where((row) => row.and(identity(job)))
    .execute();
}

/** Ends a job that is in progress; only now is its total known. Ending twice ends once. */
export async function completeJob(em: EntityManager, job: WorkedJob): Promise<void> {
  await tablesOf(em)
    .updateTable('job')
    .set({
      status: jobStatusNumbers.completed,
      ended_at: sql`now()`,
      progress: sql`json_build_object('done', ${done}, 'total', ${done})`,
    })
    .where((row) => row.and({ ...identity(job), status: jobStatusNumbers.in_progress }))
    .execute();
}
