import { disableWorkspace } from './disable.ts';
import { enableWorkspace } from './enable.ts';
import { getAnyWorkspace } from './get.ts';
import { listWorkspaces } from './list.ts';

export const operatorWorkspaceEndpoints = [
  listWorkspaces,
  getAnyWorkspace,
  disableWorkspace,
  enableWorkspace,
] as const;
