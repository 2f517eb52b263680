import { z } from 'zod';
import { apiKeyTypes } from '../../domain/workspaces/api-key.entity.ts';

/** What a workspace shows of itself. */
export const workspaceAnswer = {
  id: z.string(),
  name: z.string(),
  ownerEmail: z.string(),
  authToken: z.string(),
};

/** A key in lists; `id` is the key itself. */
export const apiKeyAnswer = z.strictObject({
  id: z.string(),
  apiKeyName: z.string(),
  type: z.enum(apiKeyTypes),
});

export const authTokenAnswer = z.strictObject({
  token: z.string(),
  name: z.string(),
  domains: z.array(z.string()),
});
