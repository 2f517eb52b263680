import { z } from 'zod';
import { enableKey } from '../../domain/keys/change-keys.ts';
import { keyIdOf } from '../../domain/workspaces/key-ids.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { startResumed } from '../operator/keys/key.ts';
import { text } from '../schemas.ts';

export const enableApiKey = endpoint({
  paths: ['/v2/workspace/apikey/enable'],
  credentials: 'workspace',
  mutates: true,
  audit: { action: 'key.enable', target: ({ data }) => keyIdOf(data.apiKey) },
  summary:
    'Enables an API key of the workspace and resumes its jobs and deliveries. Fails for a key that an operator disabled.',
  data: z.strictObject({ apiKey: text(1_000).min(1) }),
  response: dataResponse(z.null()),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { apiKey: 'key_…' },
  async handle({ data: { apiKey }, workspace }, work) {
    const { before, after, resumed } = await enableKey(work.em, { workspace, apiKey });
    work.audit.changed(before, after);
    startResumed(resumed, work);
    return succeeded('API key enabled successfully.', null);
  },
});
