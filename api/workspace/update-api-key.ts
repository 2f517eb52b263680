import { z } from 'zod';
import { renameApiKey } from '../../domain/workspaces/api-keys.ts';
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
  data: z.strictObject({ apiKey: text(1_000).min(1), apiKeyName: text(200).min(1) }),
  response: dataResponse(z.null()),
  errors: ['NOT_FOUND'],
  example: { apiKey: 'key_…', apiKeyName: 'Staging' },
  async handle({ data, workspace }, { em, audit }) {
    const { before } = await renameApiKey(em, workspace.id, data);
    audit.changed({ apiKeyName: before }, { apiKeyName: data.apiKeyName });
    return succeeded('API key updated successfully.', null);
  },
});
