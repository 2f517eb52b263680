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
  summary: 'Replaces the auth token of an API key.',
  description:
    'Former tokens stop working at once, or after `overlapSeconds`. Creates the first token of a key ' +
    'without one. Scoped tokens are kept. An unknown key, or one of another workspace, fails with ' +
    '`NOT_FOUND`; a key with 100 tokens that are still valid fails with `FAILED_PRECONDITION`. Send an ' +
    '`Idempotency-Key`, so that a retry returns the same token. The audit log records the call, without ' +
    'the secret.',
  data: z.strictObject({
    apiKey: text(1_000).min(1).describe('The API key of the workspace, max 1,000 characters.'),
    overlapSeconds,
  }),
  response: dataResponse(
    z.strictObject({
      apiKey: z.string().describe('The API key.'),
      newAuthToken: authTokenResponse.describe('The new token.'),
    }),
  ),
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
