import { z } from 'zod';
import { listApiKeys, type ListedKey } from '../../domain/workspaces/list-api-keys.ts';
import { listResponse } from '../http/response/list.ts';
import { pagesBy } from '../http/response/row-pages.ts';
import { endpoint } from '../http/endpoint.ts';
import { ids, integer } from '../schemas.ts';
import { apiKeyResponse } from './workspace-response.ts';

const maxKeys = 100;
/** A name has up to 1,000 characters. */
const maxKeyBytes = 8_192;

const listedKeyResponse = z
  .strictObject({
    ...apiKeyResponse.shape,
    keyId: z
      .string()
      .optional()
      .describe('Public id of the API key, `akid_…`, which is not a secret. Absent without `includeState`.'),
    enabled: z
      .boolean()
      .optional()
      .describe(
        'False while the workspace or an operator disabled the key: its calls are then refused. ' +
          'Absent without `includeState`.',
      ),
  })
  .meta({ id: 'ListedApiKey' });

export const getApiKeys = endpoint({
  paths: ['/v2/workspace/apikeys/get'],
  credentials: 'workspace',
  mutates: false,
  summary: 'Lists the API keys of the workspace in order of creation.',
  description:
    'Returns pages of up to 100 keys. `id` is the key itself, a secret. Includes disabled keys; deleted ' +
    'ones are left out.',
  data: z.strictObject({
    includeState: z.boolean().default(false).describe('True adds `keyId` and `enabled`.'),
    apiKeys: ids(maxKeys).optional().describe('Only these keys, max 100. Unknown ones are left out.'),
    pageSize: integer(1, maxKeys).default(maxKeys).describe('Max keys of a page.'),
    pageToken: z
      .string()
      .optional()
      .describe('Position of the page: `nextPageToken` of the previous response. Absent for the first page.'),
  }),
  response: listResponse(listedKeyResponse, { unpagedPaths: [] }),
  errors: [],
  example: { pageSize: 10, includeState: true },
  async handle({ data, workspace }, { em, keyRing }) {
    const view = ({
      apiKey,
      apiKeyName,
      type,
      keyId,
      enabled,
    }: ListedKey): z.output<typeof listedKeyResponse> => ({
      id: apiKey,
      apiKeyName,
      type,
      ...(data.includeState && { keyId, enabled }),
    });
    const list = pagesBy(
      ({ id }) => id,
      maxKeyBytes,
      view,
      async (page) => listApiKeys(em, keyRing, workspace.id, { apiKeys: data.apiKeys, ...page }),
    );
    return { message: 'API keys retrieved successfully.', list };
  },
});
