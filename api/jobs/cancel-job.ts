import { z } from 'zod';
import { cancelJob as cancel } from '../../domain/job-handlers/cancel-job.ts';
import { messages } from '../../domain/messages.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { jobResponse, jobId, jobView } from './job.ts';

export const cancelJob = endpoint({
  paths: ['/v2/jobs/cancel'],
  credentials: 'apiKey',
  mutates: true,
  audit: { action: 'job.cancel', target: ({ data }) => data.jobId },
  summary: 'Cancels a pending migration, or a user data deletion whose verification has not begun.',
  description:
    'A migration can be canceled while it is `pending`, a user data deletion while its `phase` is null, ' +
    '`fencing` or `deleting`. The deletion keeps a receipt of what was and was not deleted. One that the ' +
    'deletion journal contains, or that runs again after a restore, cannot be canceled. Any other job, and ' +
    'one that has ended, fails with `FAILED_PRECONDITION`. A canceled job has the status `failed` and the ' +
    'error `cancelled`; a canceled migration emits `document.migration_failed`. An unknown job, or one of ' +
    'another API key, fails with `NOT_FOUND`. The audit log records the call.',
  data: z.strictObject({ jobId }),
  response: dataResponse(jobResponse),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { jobId: 'job_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data, tenant }, { em, keyRing, publicUrl, workflowUrl }) {
    const job = await cancel(em, { keyRing, issuer: publicUrl }, data.jobId, {
      owner: { tenantId: tenant.id },
      isRepeatable: false,
    });
    return succeeded(messages.jobCancelled, jobView(job, { workflowUrl }));
  },
});
