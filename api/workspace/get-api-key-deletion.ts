import { z } from 'zod';
import { readKeyDeletion } from '../../domain/key-deletion/read-key-deletion.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { jobId } from '../jobs/job.ts';
import { keyDeletionResponse, keyDeletionView } from '../operator/keys/key-deletion.ts';

export const getApiKeyDeletion = endpoint({
  paths: ['/v2/workspace/apikey/deletion/get'],
  credentials: 'workspace',
  mutates: false,
  summary: 'Returns the status of the deletion of an API key of the workspace, and its receipt for 366 days.',
  description:
    'Poll until `status` is `completed`. A job that is unknown, or of a key of another workspace, fails ' +
    'with `NOT_FOUND`.',
  data: z.strictObject({ jobId }),
  response: dataResponse(keyDeletionResponse),
  errors: ['NOT_FOUND'],
  example: { jobId: 'job_0123456789abcdefghijABCDEFGHIJ03' },
  async handle({ data, workspace }, { em }) {
    const found = await readKeyDeletion(em, data.jobId, workspace);
    return succeeded('API key deletion retrieved successfully.', keyDeletionView(found));
  },
});
