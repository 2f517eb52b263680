import { Job } from './jobs/job.entity.ts';
import { ApiKey } from './workspaces/api-key.entity.ts';
import { AuthToken } from './workspaces/auth-token.entity.ts';
import { Workspace } from './workspaces/workspace.entity.ts';

/** Every entity, for whoever opens the database. */
export const entities = [Workspace, ApiKey, AuthToken, Job];
