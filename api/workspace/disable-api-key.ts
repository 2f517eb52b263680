import { z } from 'zod';
import { disableKey } from '../../domain/keys/change-keys.ts';
import { keyIdOf } from '../../domain/workspaces/key-ids.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { text } from '../schemas.ts';

export const disableApiKey = endpoint({
  paths: ['/v2/workspace/apikey/disable'],
  credentials: 'workspace',
  mutates: true,
  audit: { action: 'key.disable', target: ({ data }) => keyIdOf(data.apiKey) },
  summary: 'Disables an API key of the workspace: its calls are refused, its jobs and deliveries wait.',
  description:
    'Calls with the key fail with `PERMISSION_DENIED` from the next request on, in every process. Data is ' +
    'kept, and events wait. An unknown key, or one of another workspace, fails with `NOT_FOUND`. The ' +
    'audit log records the call. Repeating the call changes nothing.',
  data: z.strictObject({
    apiKey: text(1_000).min(1).describe('The API key of the workspace, max 1,000 characters.'),
  }),
  response: dataResponse(z.null()),
  errors: ['NOT_FOUND'],
  example: { apiKey: 'key_…' },
  async handle({ data: { apiKey }, workspace }, { em, audit }) {
    const { before, after } = await disableKey(em, { workspace, apiKey });
    audit.changed(before, after);
    return succeeded('API key disabled successfully.', null);
  },
});
