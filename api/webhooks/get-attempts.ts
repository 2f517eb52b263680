import { z } from 'zod';
import { iteratorListResponse } from '../http/response/iterator-list.ts';
import { endpoint } from '../http/endpoint.ts';
import { iteratorPaging } from '../http/response/iterator-list.ts';
import { attemptResponse, attemptStatus } from './attempt.ts';
import { pageRequest } from './page-request.ts';
import { endpointsToRead, endpointErrors } from './act-on-endpoints.ts';
import { endpointId, messageId } from './webhook-endpoint.ts';

export const getAttempts = endpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/attempts/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists delivery attempts of a webhook endpoint, newest first.',
  description:
    'A filtered page may be short: continue until `done` is true. Attempts are kept for up to 30 days. An ' +
    'unknown endpoint fails with `NOT_FOUND`, an unknown message matches nothing. Fails with ' +
    '`FAILED_PRECONDITION` while advanced webhooks are off.',
  data: z.strictObject({
    endpointId,
    messageId: messageId.optional().describe('Only attempts of this message, `evt_…`.'),
    status: attemptStatus.optional().describe('Only attempts with this outcome.'),
    ...iteratorPaging,
  }),
  response: iteratorListResponse('attempts', attemptResponse),
  errors: endpointErrors,
  example: { endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ01', status: 'failed' },
  async handle({ data: { endpointId: id, messageId: message, status }, tenant }, work) {
    const endpoints = await endpointsToRead(tenant, work);
    return {
      message: 'Advanced webhook endpoint attempts retrieved successfully.',
      readPage: async (from, limit) =>
        endpoints.listAttempts(id, { messageId: message, status }, pageRequest(from, limit)),
    };
  },
});
