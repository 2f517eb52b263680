import { z } from 'zod';
import { listKeys as list } from '../../../domain/workspaces/read-keys.ts';
import { endpoint } from '../../http/endpoint.ts';
import { listResponse, paging } from '../../http/response/list.ts';
import { rowPages } from '../../http/response/row-pages.ts';
import { text } from '../../schemas.ts';
import { keyResponse, keyView } from './key.ts';

/** A name has up to 200 characters, an address up to 254. */
const maxKeyBytes = 4_096;

export const listKeys = endpoint({
  paths: ['/v2/operator/keys/list'],
  credentials: 'operator',
  operatorScope: 'read',
  mutates: false,
  summary: 'Lists API keys in order of creation, of one workspace or of all.',
  description:
    'Returns pages of 1,000 keys, disabled ones too, without secrets. An unknown workspace fails with ' +
    '`NOT_FOUND`.',
  data: z.strictObject({
    workspaceId: text(200)
      .min(1)
      .optional()
      .describe('Only keys of this workspace, `ws_…`, max 200 characters.'),
    ...paging,
  }),
  response: listResponse(keyResponse, { unpagedPaths: [] }),
  errors: ['NOT_FOUND'],
  example: { pageSize: 50 },
  async handle({ data: { workspaceId } }, { em }) {
    const keys = rowPages(maxKeyBytes, keyView, (page) => list(em, { ...page, workspaceId }));
    return { message: 'API keys retrieved successfully.', list: keys };
  },
});
