import { z } from 'zod';
import { renameApiKey } from '../../domain/workspaces/rename-api-key.ts';
import { keyIdOf } from '../../domain/workspaces/key-ids.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { text } from '../schemas.ts';

export const updateApiKey = endpoint({
  paths: ['/v2/workspace/apikey/update'],
  credentials: 'workspace',
  mutates: true,
  audit: { action: 'key.update', target: ({ data }) => keyIdOf(data.apiKey) },
  summary: 'Renames an API key of the workspace.',
  description:
    'An unknown key, or one of another workspace, fails with `NOT_FOUND`. Repeating the call changes ' +
    'nothing. The audit log records the call.',
  data: z.strictObject({
    apiKey: text(1_000).min(1).describe('The API key of the workspace, max 1,000 characters.'),
    apiKeyName: text(200).min(1).describe('New name of the key, 1 to 200 characters.'),
  }),
  response: dataResponse(z.null()),
  errors: ['NOT_FOUND'],
  example: { apiKey: 'key_…', apiKeyName: 'Staging' },
  async handle({ data, workspace }, { em, audit }) {
    const { before } = await renameApiKey(em, workspace.id, data);
    audit.changed({ apiKeyName: before }, { apiKeyName: data.apiKeyName });
    return succeeded('API key updated successfully.', null);
  },
});
