import { z } from 'zod';
import { tokenScopes } from '../../domain/tenancy/token-scopes.ts';
import type { AuthToken } from '../../domain/workspaces/auth-token.entity.ts';
import { milliseconds } from '../schemas.ts';

export const tokenScope = z.enum(tokenScopes);

/** A scoped auth token in responses, without its secret. */
export const scopedTokenResponse = z
  .strictObject({
    authTokenId: z.string().describe('Id of the token, `atk_…`.'),
    name: z.string().describe('Name of the token.'),
    scopes: z
      .array(tokenScope)
      .describe('Families of operations that the token may call, each with `read` or `write`.'),
    createdAt: milliseconds.describe('When the token was added, in milliseconds since the epoch.'),
    expiresAt: milliseconds
      .nullable()
      .describe('When the token expires, in milliseconds since the epoch. Null: never.'),
    lastUsedAt: milliseconds.nullable().meta({
      description: 'Start of the hour of the last use, in milliseconds since the epoch. Null: never used.',
    }),
  })
  .meta({ id: 'ScopedAuthToken' });

export const scopedTokenView = (row: AuthToken): z.input<typeof scopedTokenResponse> => ({
  authTokenId: row.publicId,
  name: row.name,
  scopes: row.scopes ?? [],
  createdAt: row.createdAt.getTime(),
  expiresAt: row.expiresAt?.getTime() ?? null,
  lastUsedAt: row.lastUsedAt?.getTime() ?? null,
});
