import { z } from 'zod';
import { listScopedTokens } from '../../domain/workspaces/scoped-tokens.ts';
import { endpoint } from '../http/endpoint.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { text } from '../schemas.ts';
import { scopedTokenResponse, scopedTokenView } from './scoped-token.ts';

export const listScopedAuthTokens = endpoint({
  paths: ['/v2/workspace/authtokens/list'],
  credentials: 'workspace',
  mutates: false,
  summary: 'Lists the scoped auth tokens of an API key in order of creation, without secrets.',
  description:
    'Lists valid tokens, and expired and revoked ones for one day: the last 80 of them at most. An unknown ' +
    'key, or one of another workspace, fails with `NOT_FOUND`.',
  data: z.strictObject({
    apiKey: text(1_000).min(1).describe('The API key of the workspace, max 1,000 characters.'),
  }),
  response: dataResponse(
    z.strictObject({
      apiKey: z.string().describe('The API key.'),
      authTokens: z.array(scopedTokenResponse).describe('Scoped tokens of the key.'),
    }),
  ),
  maxResponseBytes: 262_144,
  errors: ['NOT_FOUND'],
  example: { apiKey: 'key_…' },
  async handle({ data: { apiKey }, workspace }, { em }) {
    const tokens = await listScopedTokens(em.fork(), workspace.id, apiKey);
    return succeeded('Auth tokens retrieved successfully.', {
      apiKey,
      authTokens: tokens.map(scopedTokenView),
    });
  },
});
