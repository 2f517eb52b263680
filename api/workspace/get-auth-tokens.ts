import { z } from 'zod';
import { readTokens } from '../../domain/workspaces/auth-tokens.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { text } from '../schemas.ts';
import { listedTokenResponse } from './workspace-response.ts';

export const getAuthTokens = endpoint({
  paths: ['/v2/workspace/authtokens/get'],
  credentials: 'workspace',
  mutates: false,
  summary: 'Lists the valid auth tokens of an API key, the current one first.',
  description:
    'Returns none for a key that was created without one. Tokens can be read again, because they are ' +
    'stored encrypted. Scoped tokens are not listed here: their secrets cannot be read. An unknown key, ' +
    'or one of another workspace, fails with `NOT_FOUND`.',
  data: z.strictObject({
    apiKey: text(1_000).min(1).describe('The API key of the workspace, max 1,000 characters.'),
  }),
  response: dataResponse(
    z.strictObject({
      apiKey: z.string().describe('The API key.'),
      authTokens: z.array(listedTokenResponse).describe('Valid tokens of the key.'),
    }),
  ),
  errors: ['NOT_FOUND'],
  example: { apiKey: 'key_…' },
  async handle({ data: { apiKey }, workspace }, { em, keyRing }) {
    const authTokens = await readTokens(em.fork(), keyRing, workspace.id, apiKey);
    return succeeded('Auth tokens retrieved successfully.', {
      apiKey,
      authTokens: authTokens.map(({ token, name, domains, expiresAt }) => ({
        token,
        name,
        domains: [...domains],
        ...(expiresAt !== null && { expiresAt }),
      })),
    });
  },
});
