import { z } from 'zod';
import { apiKeyTypes } from '../../domain/workspaces/api-key.entity.ts';
import { milliseconds } from '../schemas.ts';

/** What a workspace shows of itself. */
export const workspaceResponse = {
  id: z.string(),
  name: z.string(),
  ownerEmail: z.string(),
  authToken: z.string(),
};

/** A key in lists; `id` is the key itself. */
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

/** A token as authtokens/get lists it. */
export const listedTokenResponse = authTokenResponse.extend({
  expiresAt: milliseconds
    .optional()
    .meta({ description: 'Of a former token: when the overlap that its reset allowed ends.' }),
});
