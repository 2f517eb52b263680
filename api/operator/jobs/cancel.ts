import { z } from 'zod';
import { cancelJob } from '../../../domain/job-handlers/cancel-job.ts';
import { messages } from '../../../domain/messages.ts';
import { findAnyKeyId } from '../../../domain/workspaces/find-key.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { jobId } from '../../jobs/job.ts';
import { operatorJobResponse, operatorJobView } from './job.ts';

export const cancelAnyJob = endpoint({
  paths: ['/v2/operator/jobs/cancel'],
  credentials: 'operator',
  operatorScope: 'operate',
  mutates: true,
  // Before the last comparison, it is unknown which unfinished deletions the journal contains.
  waitsForRestore: true,
  audit: { action: 'job.cancel', target: ({ data }) => data.jobId },
  summary:
    'Cancels a pending migration, or a user data deletion whose verification has not begun, of any API key.',
  description:
    'A user data deletion can be canceled while its `phase` is null, `fencing` or `deleting`, unless the ' +
    'deletion journal contains it or it runs again after a restore. Any other job, and one that has ended ' +
    'otherwise, fails with `FAILED_PRECONDITION`. A canceled job has the status `failed` and the error ' +
    '`cancelled`; a canceled migration emits `document.migration_failed`. An unknown job fails with ' +
    '`NOT_FOUND`. Until deletions have run again after a restore, the call fails with `UNAVAILABLE`. The ' +
    'audit log records the call. Repeating the call changes nothing.',
  data: z.strictObject({ jobId }),
  response: dataResponse(operatorJobResponse),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { jobId: 'job_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data }, { em, audit, keyRing, publicUrl, workflowUrl }) {
    const job = await cancelJob(em, { keyRing, issuer: publicUrl }, data.jobId, {
      owner: { everyKey: true },
      isRepeatable: true,
    });
    audit.key(await findAnyKeyId(em, job.api_key_id));
    return succeeded(messages.jobCancelled, operatorJobView(job, { workflowUrl }));
  },
});
