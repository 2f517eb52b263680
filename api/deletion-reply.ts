import type { Deletion } from '../domain/cascade/delete-documents.ts';
import type { BatchReply } from './http/response/batch.ts';
import type { Work } from './http/endpoint.ts';

/** Creates the reply of a batch deletion, audits it, and starts the job that deletes the rows after the commit. */
export function deletionReply(message: string, { outcomes, job }: Deletion, work: Work): BatchReply<'jobId'> {
  work.audit.target(...[...outcomes].filter(([, { success }]) => success).map(([id]) => id));
  if (job === undefined) return { message, items: outcomes };
  work.startJob(job);
  return { message, items: outcomes, extras: { jobId: job.jobId } };
}
