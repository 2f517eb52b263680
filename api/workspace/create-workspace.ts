import { z } from 'zod';
import { createWorkspace as create } from '../../domain/workspaces/create-workspace.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { email, text } from '../schemas.ts';
import { workspaceResponse } from './workspace-response.ts';

export const createWorkspace = endpoint({
  paths: ['/v2/workspace/create'],
  credentials: 'operator',
  operatorScope: 'admin',
  mutates: true,
  audit: { action: 'workspace.create' },
  summary: 'Creates a workspace, which owns API keys. Requires an operator token of scope `admin`.',
  data: z.strictObject({
    ownerEmail: email,
    name: text(200).optional(),
    workspaceName: text(200).optional(),
    avatar: z
      .url({ protocol: /^https?$/ })
      .max(2_000)
      .optional(),
    expiresInMs: z.int().optional(),
  }),
  response: dataResponse(z.strictObject(workspaceResponse)),
  errors: [],
  example: { ownerEmail: 'owner@example.com', workspaceName: 'Acme' },
  async handle({ data }, { em, keyRing, audit }) {
    const { ownerEmail, name: ownerName, workspaceName, avatar } = data;
    const workspace = create(em, keyRing, { ownerEmail, ownerName, workspaceName, avatar });
    audit.target(workspace.id);
    audit.changed(null, { workspaceName: workspaceName ?? null, ownerEmail });
    return succeeded('Workspace created successfully', workspace);
  },
});
