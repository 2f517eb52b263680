import { z } from 'zod';
import { retryJob as retry } from '../../../domain/job-handlers/retry-job.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { jobId } from '../../jobs/job.ts';
import { operatorJobResponse, operatorJobView } from './job.ts';

export const retryJob = endpoint({
  paths: ['/v2/operator/jobs/retry'],
  credentials: 'operator',
  operatorScope: 'operate',
  mutates: true,
  audit: { action: 'job.retry', target: ({ data }) => data.jobId },
  summary: 'Reopens a failed job, or starts the missing workflow of an open job.',
  description:
    'Work that is done is not repeated. A completed job, a failed migration or user data deletion, and a ' +
    'replaced provisioning fail with `FAILED_PRECONDITION`. So does a job whose API key or workspace is ' +
    'disabled: an open one continues when they are enabled. An unknown job fails with `NOT_FOUND`. The ' +
    'audit log records the call. Repeating the call changes nothing.',
  data: z.strictObject({ jobId }),
  response: dataResponse(operatorJobResponse),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { jobId: 'job_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data }, { em, audit, startJob, workflowUrl }) {
    const { job, startable } = await retry(em, data.jobId);
    audit.key(startable.keyId);
    startJob(startable);
    return succeeded('Job started successfully.', operatorJobView(job, { workflowUrl }));
  },
});
