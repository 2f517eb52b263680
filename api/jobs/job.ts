import { z } from 'zod';
import { jobStatusName } from '../../domain/jobs/job.entity.ts';
import { jobKindNames, jobKindOf } from '../../domain/job-handlers/job-kinds.ts';
import type { JobRow } from '../../domain/jobs/read-jobs.ts';
import { workflowIdOf } from '../../workflows/contract.ts';
import type { Work } from '../http/endpoint.ts';
import { idOf, jobStatus, milliseconds } from '../schemas.ts';

/** Asynchronous work that a request started. */
export const jobResponse = z
  .strictObject({
    jobId: z.string().describe('Id of the job.'),
    kind: z.enum(jobKindNames).describe('Kind of work.'),
    status: jobStatus,
    progress: z
      .strictObject({
        done: z.int().describe('Number of finished steps.'),
        total: z.int().nullable().meta({ description: 'Null while unknown.' }),
      })
      .describe('Progress of the job.'),
    error: z.string().nullable().describe('Why the job failed, as a fixed text. Null otherwise.'),
    createdAt: milliseconds.describe('When the request was accepted, in milliseconds since the epoch.'),
    startedAt: milliseconds
      .nullable()
      .describe('When a worker started, in milliseconds since the epoch. Null while pending.'),
    completedAt: milliseconds
      .nullable()
      .describe('When the job ended, in milliseconds since the epoch. Null until then.'),
    late: z.boolean().describe('True for a user data deletion that takes longer than 12 hours.'),
    requestId: z
      .string()
      .nullable()
      .meta({ description: 'The X-Request-Id of the request that created the job; null for older jobs.' }),
    workflowId: z.string().describe('For operators: id of the workflow in Temporal.'),
    workflowUrl: z
      .string()
      .nullable()
      .meta({ description: 'For operators: the workflow in the Temporal UI.' }),
    pollAfterMs: z
      .int()
      .meta({ description: 'Milliseconds to wait before the next request; 0 after the job has ended.' }),
  })
  .meta({ id: 'Job' });

/** A job in responses. */
export type JobResponse = z.input<typeof jobResponse>;

export const jobId = idOf('the job');

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
