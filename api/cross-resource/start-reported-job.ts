import type { StartableJob } from '../../domain/jobs/job-kinds.ts';
import type { Work } from '../http/endpoint.ts';

/** Starts the job that finishes a call, if any, after the commit. Returns its id as a member of the response. */
export function startReportedJob(
  { startJob }: Pick<Work, 'startJob'>,
  job: StartableJob | undefined,
): { readonly jobId?: string } {
  if (job === undefined) return {};
  startJob(job);
  return { jobId: job.jobId };
}
