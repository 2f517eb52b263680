import { z } from 'zod';
import { readWorkspace } from '../../../domain/workspaces/read-workspaces.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { workspaceId, workspaceResponse, workspaceView } from './workspace.ts';

export const getAnyWorkspace = endpoint({
  paths: ['/v2/operator/workspaces/get'],
  credentials: 'operator',
  operatorScope: 'read',
  mutates: false,
  summary: 'Returns a workspace of the deployment.',
  description:
    'Returns a disabled workspace too, without secrets. An unknown workspace fails with `NOT_FOUND`.',
  data: z.strictObject({ workspaceId }),
  response: dataResponse(workspaceResponse),
  errors: ['NOT_FOUND'],
  example: { workspaceId: 'ws_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data }, { em }) {
    const workspace = await readWorkspace(em, data.workspaceId);
    return succeeded('Workspace retrieved successfully.', workspaceView(workspace));
  },
});
