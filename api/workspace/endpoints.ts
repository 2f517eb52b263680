import { addDomains } from './add-domains.ts';
import { addScopedAuthToken } from './add-scoped-token.ts';
import { createApiKey } from './create-api-key.ts';
import { createWorkspace } from './create-workspace.ts';
import { deleteApiKey } from './delete-api-key.ts';
import { disableApiKey } from './disable-api-key.ts';
import { enableApiKey } from './enable-api-key.ts';
import { deleteDomains } from './delete-domains.ts';
import { exportAuditLog } from './export-audit-log.ts';
import { getApiKeyDeletion } from './get-api-key-deletion.ts';
import { getApiKeys } from './get-api-keys.ts';
import { getAuditLog } from './get-audit-log.ts';
import { getAuthTokens } from './get-auth-tokens.ts';
import { getDomains } from './get-domains.ts';
import { getUsage } from './get-usage.ts';
import { getWorkspace } from './get-workspace.ts';
import { listWorkspaceJobs } from './list-jobs.ts';
import { listScopedAuthTokens } from './list-scoped-tokens.ts';
import { resetAuthToken } from './reset-auth-token.ts';
import { revokeScopedAuthToken } from './revoke-scoped-token.ts';
import { updateApiKey } from './update-api-key.ts';

export const workspaceEndpoints = [
  createWorkspace,
  getWorkspace,
  createApiKey,
  updateApiKey,
  disableApiKey,
  enableApiKey,
  deleteApiKey,
  getApiKeyDeletion,
  getApiKeys,
  getAuthTokens,
  resetAuthToken,
  addScopedAuthToken,
  listScopedAuthTokens,
  revokeScopedAuthToken,
  addDomains,
  deleteDomains,
  getDomains,
  getUsage,
  listWorkspaceJobs,
  getAuditLog,
  exportAuditLog,
] as const;
