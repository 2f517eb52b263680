import { z } from 'zod';
import { readJob } from '../../../domain/job-handlers/read-job.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { jobId } from '../../jobs/job.ts';
import { operatorJobResponse, operatorJobView } from './job.ts';

export const getAnyJob = endpoint({
  paths: ['/v2/operator/jobs/get'],
  credentials: 'operator',
  operatorScope: 'read',
  mutates: false,
  summary: 'Returns the status of a job of any API key.',
  description: 'Jobs are kept for 90 days after their end. An unknown job fails with `NOT_FOUND`.',
  data: z.strictObject({ jobId }),
  response: dataResponse(operatorJobResponse),
  errors: ['NOT_FOUND'],
  example: { jobId: 'job_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data }, { em, workflowUrl }) {
    const job = await readJob(em, { everyKey: true }, data.jobId);
    return succeeded('Job retrieved successfully.', operatorJobView(job, { workflowUrl }));
  },
});
