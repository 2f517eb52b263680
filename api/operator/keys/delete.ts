import { z } from 'zod';
import { deleteKey as remove } from '../../../domain/key-deletion/delete-key.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { acceptedKeyDeletion, confirmName, startKeyDeletion } from './key-deletion.ts';
import { keyId } from './key.ts';

export const deleteKey = endpoint({
  paths: ['/v2/operator/keys/delete'],
  credentials: 'operator',
  operatorScope: 'admin',
  mutates: true,
  audit: { action: 'key.delete', target: ({ data }) => data.keyId },
  summary:
    'Deletes an API key with all of its data, by a job that verifies it. Permanent; the key is refused at once.',
  data: z.strictObject({ keyId, confirmName }),
  response: dataResponse(acceptedKeyDeletion),
  errors: ['NOT_FOUND'],
  example: { keyId: 'akid_0123456789abcdef0123456789abcdef', confirmName: 'Staging' },
  async handle({ data, requestId }, work) {
    const { confirmName: name } = data;
    const deleted = await remove(work.em, data, { confirmName: name, requestId });
    return succeeded('API key deletion accepted.', startKeyDeletion(deleted, work));
  },
});
