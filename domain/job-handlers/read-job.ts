import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import { notFound } from '../errors.ts';
import { jobColumns, JobRow, ownedBy, type JobOwner } from '../jobs/read-jobs.ts';
import { messages } from '../messages.ts';
import { isJobKind } from './job-kinds.ts';

/** Throws NOT_FOUND when the owner has no such job, or only a later release knows its kind. */
export async function readJob(em: EntityManager, owner: JobOwner, jobId: string): Promise<JobRow> {
  const found = await rowOf(
    em,
    JobRow,
    sql`select ${jobColumns} from job where ${ownedBy(owner)} and public_id = ${jobId}`,
  );
  if (found === undefined || !isJobKind(found.kind)) throw notFound(messages.jobMissing);
  return found;
}
