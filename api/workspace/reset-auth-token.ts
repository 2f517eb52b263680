import { z } from 'zod';
import { resetToken } from '../../domain/workspaces/api-keys.ts';
import { dataAnswer, succeeded } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { text } from '../schemas.ts';
import { authTokenAnswer } from './workspace-answer.ts';

export const resetAuthToken = endpoint({
  paths: ['/v2/workspace/authtoken/reset'],
  credentials: 'workspace',
  mutates: true,
  summary: 'Replaces the auth token of an API key. The former one is refused at once.',
  data: z.strictObject({ apiKey: text(1_000).min(1) }),
  answer: dataAnswer(z.strictObject({ apiKey: z.string(), newAuthToken: authTokenAnswer })),
  errors: ['NOT_FOUND'],
  example: { apiKey: 'key_…' },
  async handle({ data: { apiKey }, workspace }, { em, keyRing }) {
    const { token, name } = await resetToken(em, keyRing, workspace.id, apiKey);
    return succeeded('Auth token reset successfully.', {
      apiKey,
      newAuthToken: { token, name, domains: [] },
    });
  },
});
