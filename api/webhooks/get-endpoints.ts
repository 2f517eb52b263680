import { z } from 'zod';
import { iteratorListResponse } from '../http/response/iterator-list.ts';
import { endpoint } from '../http/endpoint.ts';
import { iteratorPaging } from '../http/response/iterator-list.ts';
import { pageRequest } from './page-request.ts';
import { endpointsToRead, endpointErrors } from './act-on-endpoints.ts';
import { endpointResponse } from './webhook-endpoint.ts';

export const getEndpoints = endpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists webhook endpoints in order of creation.',
  description:
    'Includes disabled endpoints; secrets and `metadata` are never listed. `done` is true exactly when ' +
    '`iterator` is null. Fails with `FAILED_PRECONDITION` while advanced webhooks are off.',
  data: z.strictObject(iteratorPaging),
  response: iteratorListResponse('endpoints', endpointResponse),
  errors: endpointErrors,
  example: { limit: 50 },
  async handle({ tenant }, work) {
    const endpoints = await endpointsToRead(tenant, work);
    return {
      message: 'Advanced webhook endpoints retrieved successfully.',
      readPage: async (from, limit) => endpoints.list(pageRequest(from, limit)),
    };
  },
});
