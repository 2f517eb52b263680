import { z } from 'zod';
import { enableKey } from '../../domain/keys/change-keys.ts';
import { servedKinds } from '../../domain/webhooks/provider.ts';
import { keyIdOf } from '../../domain/workspaces/key-ids.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { startResumed } from '../cross-resource/start-resumed.ts';
import { text } from '../schemas.ts';

export const enableApiKey = endpoint({
  paths: ['/v2/workspace/apikey/enable'],
  credentials: 'workspace',
  mutates: true,
  audit: { action: 'key.enable', target: ({ data }) => keyIdOf(data.apiKey) },
  summary: 'Enables an API key of the workspace and resumes its jobs and deliveries.',
  description:
    'Calls work again from the next request on, in every process. Repeating the call changes nothing. An ' +
    'unknown key, or one of another workspace, fails with `NOT_FOUND`; a key that an operator disabled ' +
    'fails with `FAILED_PRECONDITION`. The audit log records the call.',
  data: z.strictObject({
    apiKey: text(1_000).min(1).describe('The API key of the workspace, max 1,000 characters.'),
  }),
  response: dataResponse(z.null()),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { apiKey: 'key_…' },
  async handle({ data: { apiKey }, workspace }, work) {
    const { before, after, resumed } = await enableKey(
      work.em,
      { workspace, apiKey },
      servedKinds(work.webhooks.name),
    );
    work.audit.changed(before, after);
    startResumed(resumed, work);
    return succeeded('API key enabled successfully.', null);
  },
});
