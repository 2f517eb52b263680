import type { DeletionResult } from '../../domain/cascade/delete-documents.ts';
import type { BatchReply } from '../http/response/batch.ts';
import type { Work } from '../http/endpoint.ts';
import { startReportedJob } from './start-reported-job.ts';

/** Creates the reply of a batch deletion, audits it, and starts the job that deletes the rows after the commit. */
export function batchDeletionReply(
  message: string,
  { outcomes, job }: DeletionResult,
  work: Work,
): BatchReply<'jobId'> {
  work.audit.target(...[...outcomes].filter(([, { success }]) => success).map(([id]) => id));
  return { message, items: outcomes, extras: startReportedJob(work, job) };
}
