import { z } from 'zod';
import { readJob } from '../../domain/job-handlers/read-job.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { jobResponse, jobId, jobView } from './job.ts';

export const getJob = endpoint({
  paths: ['/v2/jobs/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns the status of a job.',
  description:
    'Poll after `pollAfterMs` until `status` is `completed` or `failed`. Migrations and user data ' +
    'deletions have operations with more details. An unknown job, or one of another API key, fails with ' +
    '`NOT_FOUND`. A job is kept for 90 days after its end.',
  data: z.strictObject({ jobId }),
  response: dataResponse(jobResponse),
  errors: ['NOT_FOUND'],
  example: { jobId: 'job_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data, tenant }, { em, workflowUrl }) {
    const job = await readJob(em, { tenantId: tenant.id }, data.jobId);
    return succeeded('Job retrieved successfully.', jobView(job, { workflowUrl }));
  },
});
