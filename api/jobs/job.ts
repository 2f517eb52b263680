import { z } from 'zod';
import { jobStatuses, jobStatusName } from '../../domain/jobs/job.entity.ts';
import { jobKindNames, jobKindOf } from '../../domain/job-handlers/job-kinds.ts';
import type { JobRow } from '../../domain/jobs/read-jobs.ts';
import { workflowIdOf } from '../../workflows/contract.ts';
import type { Work } from '../http/endpoint.ts';
import { milliseconds } from '../schemas.ts';

/** Asynchronous work that a request started. */
export const jobResponse = z.strictObject({
  jobId: z.string(),
  kind: z.enum(jobKindNames),
  status: z.enum(jobStatuses),
  progress: z.strictObject({
    done: z.int(),
    total: z.int().nullable().meta({ description: 'Null while unknown.' }),
  }),
  error: z.string().nullable(),
  createdAt: milliseconds,
  startedAt: milliseconds.nullable(),
  completedAt: milliseconds.nullable(),
  late: z.boolean(),
  requestId: z
    .string()
    .nullable()
    .meta({ description: 'The X-Request-Id of the request that created the job; null for older jobs.' }),
  workflowId: z.string(),
  workflowUrl: z.string().nullable().meta({ description: 'For operators: the workflow in the Temporal UI.' }),
  pollAfterMs: z
    .int()
    .meta({ description: 'Milliseconds to wait before the next request; 0 after the job has ended.' }),
});

/** A job in responses. */
export type JobResponse = z.input<typeof jobResponse>;

export const jobId = z.string().min(1).max(200);

/** Migrations end within a second; the duration of other kinds depends on their rows. */
const pollAfterMs = (kind: JobResponse['kind']): number => (kind === 'document-migration' ? 250 : 1_000);

/** Writes a job row as responses return it. */
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
    requestId: job.request_id,
    workflowId,
    workflowUrl: workflowUrl(workflowId),
    pollAfterMs: job.ended_at === null ? pollAfterMs(kind) : 0,
  };
}
