import { createWorkspace } from './create-workspace.ts';
import { getApiKeys } from './get-api-keys.ts';
import { getAuthTokens } from './get-auth-tokens.ts';
import { getWorkspace } from './get-workspace.ts';
import { resetAuthToken } from './reset-auth-token.ts';
import { updateApiKey } from './update-api-key.ts';

export const workspaceEndpoints = [
  createWorkspace,
  getWorkspace,
  updateApiKey,
  getApiKeys,
  getAuthTokens,
  resetAuthToken,
] as const;
