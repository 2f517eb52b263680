import { z } from 'zod';
import { tokenScopes } from '../../domain/tenancy/token-scopes.ts';
import { keyIdOf } from '../../domain/workspaces/key-ids.ts';
import { addScopedToken } from '../../domain/workspaces/scoped-tokens.ts';
import { endpoint } from '../http/endpoint.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { distinctItems, milliseconds, text } from '../schemas.ts';
import { scopedTokenResponse, scopedTokenView, tokenScope } from './scoped-token.ts';

export const addScopedAuthToken = endpoint({
  paths: ['/v2/workspace/authtokens/add'],
  credentials: 'workspace',
  mutates: true,
  audit: { action: 'token.add' },
  summary: 'Adds an auth token that may call only the operations of its scopes.',
  description:
    'Returns the secret, which cannot be read again. Calls with the token send it in `x-svc-auth-token`; ' +
    'an operation outside its scopes fails with `PERMISSION_DENIED`. An unknown key, or one of another ' +
    'workspace, fails with `NOT_FOUND`, and the 21st valid token with `FAILED_PRECONDITION`. Send an ' +
    '`Idempotency-Key`, so that a retry returns the same token. The audit log records the call, without ' +
    'the secret.',
  data: z.strictObject({
    apiKey: text(1_000).min(1).describe('The API key of the workspace, max 1,000 characters.'),
    name: text(200).min(1).describe('Name of the token, 1 to 200 characters.'),
    scopes: distinctItems(tokenScope, tokenScopes.length).describe(
      'Families of operations, each with `read` or `write`.',
    ),
    expiresAt: milliseconds
      .optional()
      .meta({ description: 'When the token expires, in milliseconds since the epoch. Absent: never.' }),
  }),
  response: dataResponse(
    z.strictObject({
      apiKey: z.string().describe('The API key.'),
      authToken: scopedTokenResponse
        .extend({ token: z.string().describe('Secret of the token, returned only here.') })
        .describe('The new token.'),
    }),
  ),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { apiKey: 'key_…', name: 'Nightly report', scopes: ['documents:read'] },
  async handle({ data, workspace }, { em, audit }) {
    const { row, token } = await addScopedToken(em, workspace.id, data);
    const view = scopedTokenView(row);
    const authToken = { ...view, token };
    audit.key(keyIdOf(data.apiKey));
    audit.target(view.authTokenId);
    audit.changed(null, view);
    return succeeded('Auth token added successfully.', { apiKey: data.apiKey, authToken });
  },
});
