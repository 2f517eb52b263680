import { z } from 'zod';
import { replaceToken } from '../../../domain/workspaces/auth-tokens.ts';
import { authTokenIdOf } from '../../../domain/workspaces/key-ids.ts';
import { lockKey } from '../../../domain/workspaces/lock-key.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { overlapSeconds } from '../../workspace/reset-auth-token.ts';
import { authTokenResponse } from '../../workspace/workspace-response.ts';
import { keyId } from '../key-id.ts';

export const resetKeyAuthToken = endpoint({
  paths: ['/v2/operator/keys/authtoken/reset'],
  credentials: 'operator',
  operatorScope: 'admin',
  mutates: true,
  audit: { action: 'token.reset' },
  summary: 'Replaces the auth token of an API key of any workspace.',
  description:
    'Former tokens stop working at once, or after `overlapSeconds`. Creates the first token of a key ' +
    'without one. Scoped tokens are kept. An unknown key fails with `NOT_FOUND`; a key with 100 tokens ' +
    'that are still valid fails with `FAILED_PRECONDITION`. Send an `Idempotency-Key`, so that a retry ' +
    'returns the same token. The audit log records the call, without the secret.',
  data: z.strictObject({ keyId, overlapSeconds }),
  response: dataResponse(
    z.strictObject({
      keyId: z.string().describe('Public id of the API key, `akid_…`.'),
      newAuthToken: authTokenResponse.describe('The new token.'),
    }),
  ),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { keyId: 'akid_0123456789abcdef0123456789abcdef' },
  async handle({ data }, { em, keyRing, audit }) {
    const key = await lockKey(em, data);
    const { token, name } = await replaceToken(em, keyRing, key, data.overlapSeconds);
    audit.key(data.keyId);
    audit.target(authTokenIdOf(token));
    audit.changed(null, { overlapSeconds: data.overlapSeconds });
    return succeeded('Auth token reset successfully.', {
      keyId: data.keyId,
      newAuthToken: { token, name, domains: [] },
    });
  },
});
