import { z } from 'zod';
import { renameApiKey } from '../../domain/workspaces/api-keys.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { text } from '../schemas.ts';

export const updateApiKey = endpoint({
  paths: ['/v2/workspace/apikey/update'],
  credentials: 'workspace',
  mutates: true,
  summary: 'Renames an API key of the workspace.',
  data: z.strictObject({ apiKey: text(1_000).min(1), apiKeyName: text(200).min(1) }),
  response: dataResponse(z.null()),
  errors: ['NOT_FOUND'],
  example: { apiKey: 'key_…', apiKeyName: 'Staging' },
  async handle({ data, workspace }, { em }) {
    await renameApiKey(em, workspace.id, data);
    return succeeded('API key updated successfully.', null);
  },
});
