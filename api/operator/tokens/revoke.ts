import { z } from 'zod';
import { revokeOperatorToken } from '../../../domain/operators/operator-tokens.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { text } from '../../schemas.ts';
import { operatorTokenResponse, operatorTokenView } from './token.ts';

export const revokeToken = endpoint({
  paths: ['/v2/operator/tokens/revoke'],
  credentials: 'operator',
  operatorScope: 'admin',
  mutates: true,
  audit: { action: 'operator_token.revoke', target: ({ data }) => data.tokenId },
  summary: 'Revokes an operator token.',
  description:
    'Takes effect at once in every process; repeating the call changes nothing. Calls with the token fail ' +
    'from the next request on. The operator token of the configuration cannot be revoked here. An unknown ' +
    'token fails with `NOT_FOUND`. The audit log records the call.',
  data: z.strictObject({
    tokenId: text(200).min(1).describe('Id of the token, `optk_…`, max 200 characters.'),
  }),
  response: dataResponse(operatorTokenResponse),
  errors: ['NOT_FOUND'],
  example: { tokenId: 'optk_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data }, { em }) {
    const row = await revokeOperatorToken(em, data.tokenId);
    return succeeded('Operator token revoked successfully.', operatorTokenView(row));
  },
});
