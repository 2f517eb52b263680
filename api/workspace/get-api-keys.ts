import { z } from 'zod';
import { listApiKeys } from '../../domain/workspaces/api-keys.ts';
import { listAnswer, pageOf, type PageReader } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { ids, integer } from '../schemas.ts';
import { apiKeyAnswer } from './workspace-answer.ts';

const mostKeys = 100;

export const getApiKeys = endpoint({
  paths: ['/v2/workspace/apikeys/get'],
  credentials: 'workspace',
  mutates: false,
  summary: 'Lists API keys of the workspace in order of creation, at most 100 a page.',
  data: z.strictObject({
    apiKeys: ids(mostKeys).optional(),
    pageSize: integer(1, mostKeys).default(mostKeys),
    pageToken: z.string().optional(),
  }),
  answer: listAnswer(apiKeyAnswer, { everythingOn: [] }),
  errors: [],
  example: { pageSize: 10 },
  async handle({ data, workspace }, { em, keyRing }) {
    const list: PageReader<z.output<typeof apiKeyAnswer>> = async (after, limit) =>
      pageOf(
        await listApiKeys(em, keyRing, workspace.id, {
          apiKeys: data.apiKeys,
          after: after && String(after[0]),
          limit: limit + 1,
        }),
        limit,
        {
          view: ({ id, apiKeyName, type }) => ({ id, apiKeyName, type }),
          position: ({ position }) => [position],
        },
      );
    return { message: 'API keys retrieved successfully.', list };
  },
});
