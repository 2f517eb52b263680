import { z } from 'zod';
import { jobStatuses, jobStatusName } from '../../domain/jobs/job.entity.ts';
import { jobKindNames, jobKindOf } from '../../domain/job-handlers/job-kinds.ts';
import type { JobRow } from '../../domain/jobs/read-jobs.ts';
import { workflowIdOf } from '../../workflows/contract.ts';
import type { Work } from '../http/endpoint.ts';
import { milliseconds } from '../schemas.ts';

/** Work that goes on after the call that asked for it. */
export const jobResponse = z.strictObject({
  jobId: z.string(),
  kind: z.enum(jobKindNames),
  status: z.enum(jobStatuses),
  progress: z.strictObject({
    done: z.int(),
    total: z.int().nullable().meta({ description: 'Null while it is not known.' }),
  }),
  error: z.string().nullable(),
  createdAt: milliseconds,
  startedAt: milliseconds.nullable(),
  completedAt: milliseconds.nullable(),
  late: z.boolean(),
  workflowId: z.string(),
  workflowUrl: z
    .string()
    .nullable()
    .meta({ description: 'For an operator: the workflow in the Temporal UI.' }),
  pollAfterMs: z.int().meta({ description: 'When asking again is worth while; 0 once the job has ended.' }),
});

/** A job as responses show it. */
export type JobResponse = z.input<typeof jobResponse>;

export const jobId = z.string().min(1).max(200);

/** Milliseconds: a migration takes a moment, the other kinds take as long as there are rows. */
const pollAfter = (kind: JobResponse['kind']): number => (kind === 'document-migration' ? 250 : 1_000);

/** Writes the row of a job as responses show it. */
export function jobView(job: JobRow, { workflowUrl }: Pick<Work, 'workflowUrl'>): JobResponse {
  const kind = jobKindOf(job.kind).name;
  const workflowId = workflowIdOf({ kind, jobId: job.public_id });
  return {
    jobId: job.public_id,
    kind,
    status: jobStatusName(job.status),
    progress: job.progress ?? { done: 0, total: null },
    error: job.error,
    createdAt: job.created_at.getTime(),
    startedAt: job.started_at?.getTime() ?? null,
    completedAt: job.ended_at?.getTime() ?? null,
    late: job.late_at !== null,
    workflowId,
    workflowUrl: workflowUrl(workflowId),
    pollAfterMs: job.ended_at === null ? pollAfter(kind) : 0,
  };
}
