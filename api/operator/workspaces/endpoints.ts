import { disableWorkspace } from './disable.ts';
import { enableWorkspace } from './enable.ts';
import { getWorkspace } from './get.ts';
import { listWorkspaces } from './list.ts';

export const operatorWorkspaceEndpoints = [
  listWorkspaces,
  getWorkspace,
  disableWorkspace,
  enableWorkspace,
] as const;
