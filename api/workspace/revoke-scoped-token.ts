import { z } from 'zod';
import { keyIdOf } from '../../domain/workspaces/key-ids.ts';
import { revokeScopedToken } from '../../domain/workspaces/scoped-tokens.ts';
import { endpoint } from '../http/endpoint.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { text } from '../schemas.ts';
import { scopedTokenResponse, scopedTokenView } from './scoped-token.ts';

export const revokeScopedAuthToken = endpoint({
  paths: ['/v2/workspace/authtokens/revoke'],
  credentials: 'workspace',
  mutates: true,
  audit: { action: 'token.revoke', target: ({ data }) => data.authTokenId },
  summary: 'Revokes a scoped auth token.',
  description:
    'Takes effect at once in every process; repeating the call changes nothing. Calls with the token fail ' +
    'from the next request on. An unknown key or token, or one of another workspace, fails with ' +
    '`NOT_FOUND`. The audit log records the call.',
  data: z.strictObject({
    apiKey: text(1_000).min(1).describe('The API key of the workspace, max 1,000 characters.'),
    authTokenId: text(200).min(1).describe('Id of the token, `atk_…`, max 200 characters.'),
  }),
  response: dataResponse(
    z.strictObject({
      apiKey: z.string().describe('The API key.'),
      authToken: scopedTokenResponse.describe('The revoked token.'),
    }),
  ),
  errors: ['NOT_FOUND'],
  example: { apiKey: 'key_…', authTokenId: 'atk_0123456789abcdef0123456789abcdef' },
  async handle({ data, workspace }, { em, audit }) {
    const row = await revokeScopedToken(em, workspace.id, data);
    audit.key(keyIdOf(data.apiKey));
    return succeeded('Auth token revoked successfully.', {
      apiKey: data.apiKey,
      authToken: scopedTokenView(row),
    });
  },
});
