import { z } from 'zod';
import { disableKey } from '../../domain/workspaces/key-states.ts';
import { keyIdOf } from '../../domain/workspaces/key-ids.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { text } from '../schemas.ts';

export const disableApiKey = endpoint({
  paths: ['/v2/workspace/apikey/disable'],
  credentials: 'workspace',
  mutates: true,
  audit: { action: 'key.disable', target: ({ data }) => keyIdOf(data.apiKey) },
  summary:
    'Disables an API key of the workspace: its calls are refused, and its jobs and deliveries wait. Repeating changes nothing.',
  data: z.strictObject({ apiKey: text(1_000).min(1) }),
  response: dataResponse(z.null()),
  errors: ['NOT_FOUND'],
  example: { apiKey: 'key_…' },
  async handle({ data: { apiKey }, workspace }, { em, audit }) {
    const { before, after } = await disableKey(em, { workspace, apiKey });
    audit.changed(before, after);
    return succeeded('API key disabled successfully.', null);
  },
});
