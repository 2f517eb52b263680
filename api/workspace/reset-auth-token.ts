import { z } from 'zod';
import { resetToken } from '../../domain/workspaces/auth-tokens.ts';
import { authTokenIdOf, keyIdOf } from '../../domain/workspaces/key-ids.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { integer, text } from '../schemas.ts';
import { authTokenResponse } from './workspace-response.ts';

export const overlapSeconds = integer(0, 86_400).default(0).meta({
  description:
    'Seconds that former tokens stay valid. A token that expires earlier keeps its expiry. 0 ends all former tokens at once.',
});

export const resetAuthToken = endpoint({
  paths: ['/v2/workspace/authtoken/reset'],
  credentials: 'workspace',
  mutates: true,
  audit: { action: 'token.reset' },
  summary:
    'Replaces the auth token of an API key. Former tokens stop working at once, or after `overlapSeconds`.',
  data: z.strictObject({
    apiKey: text(1_000).min(1),
    overlapSeconds,
  }),
  response: dataResponse(z.strictObject({ apiKey: z.string(), newAuthToken: authTokenResponse })),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { apiKey: 'key_…' },
  async handle({ data, workspace }, { em, keyRing, audit }) {
    const { token, name } = await resetToken(em, keyRing, workspace.id, data);
    audit.key(keyIdOf(data.apiKey));
    audit.target(authTokenIdOf(token));
    audit.changed(null, { overlapSeconds: data.overlapSeconds });
    return succeeded('Auth token reset successfully.', {
      apiKey: data.apiKey,
      newAuthToken: { token, name, domains: [] },
    });
  },
});
