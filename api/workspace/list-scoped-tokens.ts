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
  summary:
    'Lists the scoped auth tokens of an API key in order of creation, without secrets. Ended ones are listed for a day.',
  data: z.strictObject({ apiKey: text(1_000).min(1) }),
  response: dataResponse(z.strictObject({ apiKey: z.string(), authTokens: z.array(scopedTokenResponse) })),
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
