import { z } from 'zod';
import { apiKeyTypes } from '../../domain/workspaces/api-key.entity.ts';
import { milliseconds } from '../schemas.ts';

/** Members of a workspace that its owner sees. */
export const workspaceResponse = {
  id: z.string(),
  name: z.string(),
  ownerEmail: z.string(),
  authToken: z.string(),
};

/** An API key in lists; `id` is the key itself. */
export const apiKeyResponse = z.strictObject({
  id: z.string(),
  apiKeyName: z.string(),
  type: z.enum(apiKeyTypes),
});

export const authTokenResponse = z.strictObject({
  token: z.string(),
  name: z.string(),
  domains: z.array(z.string()),
});

/** An auth token in `authtokens/get`. */
export const listedTokenResponse = authTokenResponse.extend({
  expiresAt: milliseconds
    .optional()
    .meta({ description: 'When a former token stops working; absent for the current token.' }),
});
