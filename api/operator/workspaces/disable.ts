import { z } from 'zod';
import { disableWorkspace as disable } from '../../../domain/keys/change-keys.ts';
import { readWorkspace } from '../../../domain/workspaces/read-workspaces.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { workspaceId, workspaceResponse, workspaceView } from './workspace.ts';

export const disableWorkspace = endpoint({
  paths: ['/v2/operator/workspaces/disable'],
  credentials: 'operator',
  operatorScope: 'operate',
  mutates: true,
  audit: { action: 'workspace.disable', target: ({ data }) => data.workspaceId },
  summary: 'Disables a workspace and all of its API keys.',
  description:
    'Calls with the credentials of the workspace or of its keys fail with `PERMISSION_DENIED` from the ' +
    'next request on, in every process. Jobs and deliveries wait. An unknown workspace fails with ' +
    '`NOT_FOUND`. The audit log records the call. Repeating the call changes nothing.',
  data: z.strictObject({ workspaceId }),
  response: dataResponse(workspaceResponse),
  errors: ['NOT_FOUND'],
  example: { workspaceId: 'ws_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data }, { em, audit }) {
    const { before } = await disable(em, data.workspaceId);
    const workspace = workspaceView(await readWorkspace(em, data.workspaceId));
    audit.changed({ disabledAt: before?.getTime() ?? null }, { disabledAt: workspace.disabledAt });
    return succeeded('Workspace disabled successfully.', workspace);
  },
});
