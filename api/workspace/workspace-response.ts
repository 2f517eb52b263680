import { z } from 'zod';
import { apiKeyTypes } from '../../domain/workspaces/api-key.entity.ts';
import { milliseconds } from '../schemas.ts';

/** Members of a workspace that its owner sees. */
export const workspaceResponse = {
  id: z.string().describe('Id of the workspace, `ws_…`.'),
  name: z.string().describe('Name of the workspace.'),
  ownerEmail: z.string().describe('E-mail address of the owner.'),
  authToken: z.string().describe('Auth token of the workspace: a secret.'),
};

/** An API key in lists; `id` is the key itself. */
export const apiKeyResponse = z
  .strictObject({
    id: z.string().describe('The API key itself: a secret.'),
    apiKeyName: z.string().describe('Name of the API key.'),
    type: z.enum(apiKeyTypes).describe('Use of the API key.'),
  })
  .meta({ id: 'ApiKey' });

export const authTokenResponse = z
  .strictObject({
    token: z.string().describe('Auth token: a secret.'),
    name: z.string().describe('Name of the token.'),
    domains: z.array(z.string()).describe('Always empty; kept for compatibility.'),
  })
  .meta({ id: 'AuthToken' });

/** An auth token in `authtokens/get`. */
export const listedTokenResponse = authTokenResponse
  .extend({
    expiresAt: milliseconds.optional().meta({
      description:
        'When a former token stops working, in milliseconds since the epoch. Absent for the current token.',
    }),
  })
  .meta({ id: 'ListedAuthToken' });
