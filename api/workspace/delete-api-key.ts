import { z } from 'zod';
import { deleteKey } from '../../domain/key-deletion/delete-key.ts';
import { keyIdOf } from '../../domain/workspaces/key-ids.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { acceptedKeyDeletion, confirmName, startKeyDeletion } from '../operator/keys/key-deletion.ts';
import { text } from '../schemas.ts';

export const deleteApiKey = endpoint({
  paths: ['/v2/workspace/apikey/delete'],
  credentials: 'workspace',
  mutates: true,
  audit: { action: 'key.delete', target: ({ data }) => keyIdOf(data.apiKey) },
  summary: 'Deletes an API key of the workspace with all of its data.',
  description:
    'Permanent. From the commit on, calls with the key fail and its deliveries stop. The job deletes all ' +
    'rows of the key, verifies that none is left, and signs a receipt; read it with ' +
    '`/v2/workspace/apikey/deletion/get`. It cannot be canceled. A `confirmName` that is not the name of ' +
    'the key fails with `INVALID_ARGUMENT`. An unknown key, one of another workspace, or one that is ' +
    'deleted already fails with `NOT_FOUND`. The audit log records the call.',
  data: z.strictObject({
    apiKey: text(1_000).min(1).describe('The API key of the workspace, max 1,000 characters.'),
    confirmName,
  }),
  response: dataResponse(acceptedKeyDeletion),
  errors: ['NOT_FOUND'],
  example: { apiKey: 'key_…', confirmName: 'Staging' },
  async handle({ data: { apiKey, confirmName: name }, requestId, workspace }, work) {
    const request = { confirmName: name, requestId };
    const deleted = await deleteKey(work.em, { workspace, apiKey }, request);
    return succeeded('API key deletion accepted.', startKeyDeletion(deleted, work));
  },
});
