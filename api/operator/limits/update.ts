import { z } from 'zod';
import { changeKeyLimits } from '../../../domain/workspaces/key-limits.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { keyId } from '../key-id.ts';
import { limit, limitsResponse } from './limits.ts';

export const updateLimits = endpoint({
  paths: ['/v2/operator/limits/update'],
  credentials: 'operator',
  operatorScope: 'operate',
  mutates: true,
  audit: { action: 'limits.update', target: ({ data }) => data.keyId },
  summary: 'Changes the limits of an API key.',
  description:
    'Every process applies them to its next request. Fields that are not sent keep their value; null ' +
    'restores the default of the deployment. Endpoints beyond a lower limit are kept. Repeating the call ' +
    'changes nothing. An unknown key fails with `NOT_FOUND`. The audit log records the call.',
  data: z.strictObject({
    keyId,
    requestsPerSecond: limit('requestsPerSecond').optional(),
    burst: limit('burst').optional(),
    aiConcurrency: limit('aiConcurrency').optional(),
    webhookEndpoints: limit('webhookEndpoints').optional(),
  }),
  response: dataResponse(limitsResponse),
  errors: ['NOT_FOUND'],
  example: { keyId: 'akid_0123456789abcdef0123456789abcdef', requestsPerSecond: 2_000, burst: 4_000 },
  async handle({ data: { keyId: id, ...change } }, { em, audit }) {
    const { before, after } = await changeKeyLimits(em, id, change);
    audit.changed(before, after);
    return succeeded('Limits updated successfully.', { keyId: id, ...after });
  },
});
