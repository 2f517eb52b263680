import { z } from 'zod';
import { iteratorListResponse } from '../http/response/iterator-list.ts';
import { endpoint } from '../http/endpoint.ts';
import { iteratorPaging } from '../http/response/iterator-list.ts';
import { attemptResponse, attemptStatus } from './attempt.ts';
import { partOf } from './part.ts';
import { endpointsToRead, providedErrors } from './provided.ts';
import { endpointId, messageId } from './webhook-endpoint.ts';

export const getAttempts = endpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/attempts/get'],
  credentials: 'apiKey',
  mutates: false,
  summary:
    'Lists what was tried to reach an endpoint, newest first. With filters a page may be short: done is the end.',
  data: z.strictObject({
    endpointId,
    messageId: messageId.optional(),
    status: attemptStatus.optional(),
    ...iteratorPaging,
  }),
  response: iteratorListResponse('attempts', attemptResponse),
  errors: providedErrors,
  example: { endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ01', status: 'failed' },
  async handle({ data: { endpointId: id, messageId: message, status }, tenant }, work) {
    const endpoints = await endpointsToRead(tenant, work);
    return {
      message: 'Advanced webhook endpoint attempts retrieved successfully.',
      readPage: async (from, limit) =>
        endpoints.listAttempts(id, { messageId: message, status }, partOf(from, limit)),
    };
  },
});
