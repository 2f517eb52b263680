import { z } from 'zod';
import { listApiKeys } from '../../domain/workspaces/list-api-keys.ts';
import { workspaceTokenContext } from '../../domain/workspaces/create-workspace.ts';
import { Workspace } from '../../domain/workspaces/workspace.entity.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { apiKeyResponse, workspaceResponse } from './workspace-response.ts';

/** Keys shown with the workspace; `apikeys/get` pages through all of them. */
const maxKeysShown = 100;

export const getWorkspace = endpoint({
  paths: ['/v2/workspace/get'],
  credentials: 'workspace',
  mutates: false,
  summary: 'Returns the workspace with its owner and its first 100 API keys.',
  description:
    'Returns the secret of the workspace and its API keys. `/v2/workspace/apikeys/get` lists all keys.',
  data: z.strictObject({}),
  maxResponseBytes: 262_144,
  response: dataResponse(
    z.strictObject({
      ...workspaceResponse,
      owner: z
        .strictObject({
          email: z.string().describe('E-mail address of the owner.'),
          name: z.string().describe('Name of the owner.'),
          avatar: z.string().describe('URL of a picture of the owner. Empty when none was sent.'),
        })
        .describe('Owner of the workspace.'),
      apiKeyList: z
        .record(z.string(), apiKeyResponse)
        .describe('First 100 API keys of the workspace, by the key itself.'),
    }),
  ),
  errors: [],
  example: {},
  async handle({ workspace: caller }, { em, keyRing }) {
    const workspace = await em.fork().findOneOrFail(Workspace, { id: caller.id });
    const keys = await listApiKeys(em, keyRing, caller.id, { limit: maxKeysShown });
    const apiKeyList = Object.fromEntries(
      keys.map(({ apiKey, apiKeyName, type }) => [apiKey, { id: apiKey, apiKeyName, type }]),
    );
    return succeeded('Workspace retrieved successfully', {
      id: workspace.publicId,
      name: workspace.name,
      ownerEmail: workspace.ownerEmail,
      authToken: keyRing.decrypt(workspace.tokenEnc, workspaceTokenContext(workspace.publicId)),
      owner: { email: workspace.ownerEmail, name: workspace.ownerName, avatar: workspace.avatar },
      apiKeyList,
    });
  },
});
