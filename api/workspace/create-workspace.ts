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
  summary: 'Creates a workspace, which owns API keys.',
  description:
    'Requires an operator token of the scope `admin`. Creates no API key; create one with ' +
    '`/v2/workspace/apikey/create` and the credentials of the workspace. Without an `Idempotency-Key`, a ' +
    'repeated call creates another workspace. The audit log records the call, without the secret.',
  data: z.strictObject({
    ownerEmail: email.describe(
      'E-mail address of the owner, max 254 characters. One owner may have several workspaces.',
    ),
    name: text(200).optional().describe('Name of the owner, max 200 characters.'),
    workspaceName: text(200)
      .optional()
      .describe(
        'Name of the workspace, max 200 characters. Absent: the name of the owner, else the local part of the ' +
          'address.',
      ),
    avatar: z
      .url({ protocol: /^https?$/ })
      .max(2_000)
      .optional()
      .describe('URL of a picture of the owner: http or https, max 2,000 characters.'),
    expiresInMs: z.int().optional().describe('Accepted for compatibility; has no effect.'),
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
