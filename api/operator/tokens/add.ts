import { z } from 'zod';
import { addOperatorToken } from '../../../domain/operators/operator-tokens.ts';
import { operatorScopes } from '../../../domain/tenancy/operator-scopes.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { milliseconds, text } from '../../schemas.ts';
import { operatorTokenResponse, operatorTokenView } from './token.ts';

export const addToken = endpoint({
  paths: ['/v2/operator/tokens/add'],
  credentials: 'operator',
  operatorScope: 'admin',
  mutates: true,
  audit: { action: 'operator_token.add' },
  summary: 'Adds an operator token.',
  description:
    'Returns the secret, which cannot be read again. Calls with the token send it in ' +
    '`x-svc-operator-token`. The 101st valid token fails with `FAILED_PRECONDITION`. Send an ' +
    '`Idempotency-Key`, so that a retry returns the same token. The audit log records the call, without ' +
    'the secret.',
  data: z.strictObject({
    name: text(200).min(1).describe('Name of the token, 1 to 200 characters.'),
    scope: z.enum(operatorScopes).meta({
      description: '`operate` includes `read`, and `admin` includes both.',
    }),
    actsForKeys: z
      .boolean()
      .default(false)
      .meta({
        description:
          'Whether sessions of the token in the console may call operations of API keys: reads with any scope, ' +
          'writes from `operate` on. Defaults to `false`.',
      }),
    expiresAt: milliseconds
      .optional()
      .meta({ description: 'When the token expires, in milliseconds since the epoch. Absent: never.' }),
  }),
  response: dataResponse(
    operatorTokenResponse.extend({ token: z.string().describe('Secret of the token, returned only here.') }),
  ),
  errors: ['FAILED_PRECONDITION'],
  example: { name: 'On call', scope: 'operate' },
  async handle({ data }, { em, audit }) {
    const { row, token } = await addOperatorToken(em, data);
    const view = operatorTokenView(row);
    audit.target(view.tokenId);
    audit.changed(null, view);
    return succeeded('Operator token added successfully.', { ...view, token });
  },
});
