import type { Orm } from '../../platform/database/orm.ts';
import { removeBelow } from '../cascade/remove-below.ts';
import type { Job } from '../jobs/job.entity.ts';
import type { JobKind, WorkedKind } from '../jobs/job-kinds.ts';

/**
 * Does a job's work, one short transaction after the other, and yields between two of them. It may stop and start
 * anywhere: what is left follows from the rows, or from a position that a step writes with what it did.
 */
export type JobWork = (orm: Orm, job: Job) => AsyncIterable<unknown>;

const workByKind: Readonly<Record<WorkedKind, JobWork>> = {
  cascade: removeBelow,
};

/** Undefined for a kind with a workflow of its own. */
export const jobWork = (kind: JobKind): JobWork | undefined =>
  (workByKind as Readonly<Partial<Record<JobKind, JobWork>>>)[kind];
