import type { EntityManager } from '../../platform/database/orm.ts';
import { rows } from '../../platform/database/sql.ts';
import type { WorkedJob } from './begin-job.ts';
import { jobStatusNumbers } from './job.entity.ts';

/** Adds to what a job has done, in the transaction that did it: a repeated step counts once. */
export async function addProgress(em: EntityManager, job: WorkedJob, records: number): Promise<void> {
  await rows(
    em,
    `update job set progress = json_build_object('done', coalesce((progress ->> 'done')::bigint, 0) + $3::bigint, 'total', null)
     where id = $1 and api_key_id = $2`,
    [job.id, job.tenantId, records],
  );
}

/** Ends a job that is in progress; only now is its total known. Ending twice ends once. */
export async function completeJob(em: EntityManager, job: WorkedJob): Promise<void> {
  await rows(
    em,
    `update job set status = $3, ended_at = now(),
       progress = json_build_object('done', coalesce((progress ->> 'done')::bigint, 0), 'total', coalesce((progress ->> 'done')::bigint, 0))
     where id = $1 and api_key_id = $2 and status = $4`,
    [job.id, job.tenantId, jobStatusNumbers.completed, jobStatusNumbers.in_progress],
  );
}
