import { z } from 'zod';
import { listOperatorTokens } from '../../../domain/operators/operator-tokens.ts';
import { endpoint } from '../../http/endpoint.ts';
import { listResponse, paging } from '../../http/response/list.ts';
import { rowPages } from '../../http/response/row-pages.ts';
import { operatorTokenResponse, operatorTokenView } from './token.ts';

/** A name has up to 200 characters. */
const maxTokenBytes = 2_048;

export const listTokens = endpoint({
  paths: ['/v2/operator/tokens/list'],
  credentials: 'operator',
  operatorScope: 'admin',
  mutates: false,
  summary: 'Lists operator tokens in order of creation, without secrets.',
  description:
    'Expired and revoked tokens are listed for 90 days. The operator token of the configuration is not ' +
    'listed.',
  data: z.strictObject({ ...paging }),
  response: listResponse(operatorTokenResponse, { unpagedPaths: [] }),
  errors: [],
  example: { pageSize: 50 },
  async handle(_call, { em }) {
    const list = rowPages(maxTokenBytes, operatorTokenView, (page) => listOperatorTokens(em, page));
    return { message: 'Operator tokens retrieved successfully.', list };
  },
});
