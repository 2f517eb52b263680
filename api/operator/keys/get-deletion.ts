import { z } from 'zod';
import { readKeyDeletion } from '../../../domain/key-deletion/read-key-deletion.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { jobId } from '../../jobs/job.ts';
import { keyDeletionResponse, keyDeletionView } from './key-deletion.ts';

export const getKeyDeletion = endpoint({
  paths: ['/v2/operator/keys/deletion/get'],
  credentials: 'operator',
  operatorScope: 'read',
  mutates: false,
  summary: 'Returns the status of the deletion of an API key of any workspace, and its receipt for 366 days.',
  description:
    'Poll until `status` is `completed`. A job that is unknown, or of another kind, fails with ' +
    '`NOT_FOUND`.',
  data: z.strictObject({ jobId }),
  response: dataResponse(keyDeletionResponse),
  errors: ['NOT_FOUND'],
  example: { jobId: 'job_0123456789abcdefghijABCDEFGHIJ03' },
  async handle({ data }, { em }) {
    const found = await readKeyDeletion(em, data.jobId);
    return succeeded('API key deletion retrieved successfully.', keyDeletionView(found));
  },
});
