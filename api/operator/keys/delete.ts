import { z } from 'zod';
import { deleteKey as remove } from '../../../domain/key-deletion/delete-key.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { keyId } from '../key-id.ts';
import { acceptedKeyDeletion, confirmName, startKeyDeletion } from './key-deletion.ts';

export const deleteKey = endpoint({
  paths: ['/v2/operator/keys/delete'],
  credentials: 'operator',
  operatorScope: 'admin',
  mutates: true,
  audit: { action: 'key.delete', target: ({ data }) => data.keyId },
  summary: 'Deletes an API key of any workspace with all of its data.',
  description:
    'Permanent. From the commit on, calls with the key fail and its deliveries stop. The job deletes all ' +
    'rows of the key, verifies that none is left, and signs a receipt; read it with ' +
    '`/v2/operator/keys/deletion/get`. It cannot be canceled. A `confirmName` that is not the name of the ' +
    'key fails with `INVALID_ARGUMENT`. An unknown key, or one that is deleted already, fails with ' +
    '`NOT_FOUND`. The audit log records the call.',
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
