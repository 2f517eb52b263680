import { z } from 'zod';
import type { OperatorToken } from '../../../domain/operators/operator-token.entity.ts';
import { operatorScopes } from '../../../domain/tenancy/operator-scopes.ts';
import { milliseconds } from '../../schemas.ts';

/** An operator token in responses, without its secret. */
export const operatorTokenResponse = z.strictObject({
  tokenId: z.string(),
  name: z.string(),
  scope: z.enum(operatorScopes),
  createdAt: milliseconds,
  expiresAt: milliseconds.nullable(),
  lastUsedAt: milliseconds.nullable().meta({ description: 'Start of the hour of the last use.' }),
  revokedAt: milliseconds.nullable(),
});

export const operatorTokenView = (row: OperatorToken): z.input<typeof operatorTokenResponse> => ({
  tokenId: row.publicId,
  name: row.name,
  scope: row.scope,
  createdAt: row.createdAt.getTime(),
  expiresAt: row.expiresAt?.getTime() ?? null,
  lastUsedAt: row.lastUsedAt?.getTime() ?? null,
  revokedAt: row.revokedAt?.getTime() ?? null,
});
