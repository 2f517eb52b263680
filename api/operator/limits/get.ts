import { z } from 'zod';
import { readKeyLimits } from '../../../domain/workspaces/key-limits.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { keyId } from '../key-id.ts';
import { limitsResponse } from './limits.ts';

export const getLimits = endpoint({
  paths: ['/v2/operator/limits/get'],
  credentials: 'operator',
  operatorScope: 'read',
  mutates: false,
  summary: 'Returns the limits of an API key.',
  description: 'An unknown key fails with `NOT_FOUND`.',
  data: z.strictObject({ keyId }),
  response: dataResponse(limitsResponse),
  errors: ['NOT_FOUND'],
  example: { keyId: 'akid_0123456789abcdef0123456789abcdef' },
  async handle({ data }, { em }) {
    const limits = await readKeyLimits(em.fork(), data.keyId);
    return succeeded('Limits retrieved successfully.', { keyId: data.keyId, ...limits });
  },
});
