import { z } from 'zod';
import { replaceToken } from '../../../domain/workspaces/auth-tokens.ts';
import { authTokenIdOf } from '../../../domain/workspaces/key-ids.ts';
import { lockKey } from '../../../domain/workspaces/key-states.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { overlapSeconds } from '../../workspace/reset-auth-token.ts';
import { authTokenResponse } from '../../workspace/workspace-response.ts';
import { keyId } from './key.ts';

export const resetKeyAuthToken = endpoint({
  paths: ['/v2/operator/keys/authtoken/reset'],
  credentials: 'operator',
  operatorScope: 'admin',
  mutates: true,
  audit: { action: 'token.reset' },
  summary:
    'Replaces the auth token of an API key of any workspace. Former tokens end at once, or after `overlapSeconds`.',
  data: z.strictObject({ keyId, overlapSeconds }),
  response: dataResponse(z.strictObject({ keyId: z.string(), newAuthToken: authTokenResponse })),
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
