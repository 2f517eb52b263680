import { z } from 'zod';
import { iteratorListResponse } from '../http/response/iterator-list.ts';
import { endpoint } from '../http/endpoint.ts';
import { iteratorPaging } from '../http/response/iterator-list.ts';
import { partOf } from './part.ts';
import { endpointsToRead, providedErrors } from './provided.ts';
import { endpointResponse } from './webhook-endpoint.ts';

export const getEndpoints = endpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/get'],
  credentials: 'apiKey',
  mutates: false,
  summary:
    'Lists the endpoints in the order of their creation; walks on by iterator and back by prevIterator.',
  data: z.strictObject(iteratorPaging),
  response: iteratorListResponse('endpoints', endpointResponse),
  errors: providedErrors,
  example: { limit: 50 },
  async handle({ tenant }, work) {
    const endpoints = await endpointsToRead(tenant, work);
    return {
      message: 'Advanced webhook endpoints retrieved successfully.',
      readPage: async (from, limit) => endpoints.list(partOf(from, limit)),
    };
  },
});
