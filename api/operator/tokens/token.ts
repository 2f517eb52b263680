import { z } from 'zod';
import type { OperatorToken } from '../../../domain/operators/operator-token.entity.ts';
import { operatorScopes } from '../../../domain/tenancy/operator-scopes.ts';
import { milliseconds } from '../../schemas.ts';

/** An operator token in responses, without its secret. */
export const operatorTokenResponse = z
  .strictObject({
    tokenId: z.string().describe('Id of the token, `optk_…`.'),
    name: z.string().describe('Name of the token.'),
    scope: z
      .enum(operatorScopes)
      .describe('Operations that the token may call: `operate` includes `read`, and `admin` includes both.'),
    actsForKeys: z
      .boolean()
      .describe('Whether sessions of the token in the console may call operations of API keys.'),
    createdAt: milliseconds.describe('When the token was added, in milliseconds since the epoch.'),
    expiresAt: milliseconds
      .nullable()
      .describe('When the token expires, in milliseconds since the epoch. Null: never.'),
    lastUsedAt: milliseconds.nullable().meta({
      description: 'Start of the hour of the last use, in milliseconds since the epoch. Null: never used.',
    }),
    revokedAt: milliseconds
      .nullable()
      .describe('When the token was revoked, in milliseconds since the epoch. Null when it is not.'),
  })
  .meta({ id: 'OperatorToken' });

export const operatorTokenView = (row: OperatorToken): z.input<typeof operatorTokenResponse> => ({
  tokenId: row.publicId,
  name: row.name,
  scope: row.scope,
  actsForKeys: row.actsForKeys,
  createdAt: row.createdAt.getTime(),
  expiresAt: row.expiresAt?.getTime() ?? null,
  lastUsedAt: row.lastUsedAt?.getTime() ?? null,
  revokedAt: row.revokedAt?.getTime() ?? null,
});
