import { z } from 'zod';
import { enableWorkspace as enable } from '../../../domain/keys/change-keys.ts';
import { servedKinds } from '../../../domain/webhooks/provider.ts';
import { readWorkspace } from '../../../domain/workspaces/read-workspaces.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { startResumed } from '../../cross-resource/start-resumed.ts';
import { workspaceId, workspaceResponse, workspaceView } from './workspace.ts';

export const enableWorkspace = endpoint({
  paths: ['/v2/operator/workspaces/enable'],
  credentials: 'operator',
  operatorScope: 'operate',
  mutates: true,
  audit: { action: 'workspace.enable', target: ({ data }) => data.workspaceId },
  summary: 'Enables a workspace and its API keys.',
  description:
    'An API key that is disabled itself stays disabled. Jobs and deliveries that waited resume. Repeating ' +
    'the call changes nothing. An unknown workspace fails with `NOT_FOUND`. The audit log records the ' +
    'call.',
  data: z.strictObject({ workspaceId }),
  response: dataResponse(workspaceResponse),
  errors: ['NOT_FOUND'],
  example: { workspaceId: 'ws_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data }, work) {
    const { before, resumed } = await enable(work.em, data.workspaceId, servedKinds(work.webhooks.name));
    work.audit.changed({ disabledAt: before?.getTime() ?? null }, { disabledAt: null });
    startResumed(resumed, work);
    const workspace = await readWorkspace(work.em, data.workspaceId);
    return succeeded('Workspace enabled successfully.', workspaceView(workspace));
  },
});
