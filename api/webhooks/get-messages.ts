import { z } from 'zod';
import { messageStatuses, type MessageStatus } from '../../domain/webhooks/delivery/message.ts';
import { iteratorListResponse } from '../http/response/iterator-list.ts';
import { endpoint } from '../http/endpoint.ts';
import { iteratorPaging } from '../http/response/iterator-list.ts';
import { ids, milliseconds } from '../schemas.ts';
import { pageRequest } from './page-request.ts';
import { endpointsToRead, endpointErrors } from './act-on-endpoints.ts';
import { endpointId, eventType, messageId } from './webhook-endpoint.ts';

const status = z.enum(Object.keys(messageStatuses) as MessageStatus[]);

const messageResponse = z.strictObject({
  id: z.string(),
  eventType: z.string(),
  status,
  statusReason: z.string().nullable(),
  attempts: z.int().nullable().meta({ description: 'Null when Svix delivers the message.' }),
  nextAttemptAt: milliseconds.nullable(),
  channels: z.array(z.string()).readonly(),
  payload: z.unknown().meta({ description: 'The body before encoding and encryption.' }),
  timestamp: milliseconds,
});

export const getMessages = endpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/messages/get'],
  credentials: 'apiKey',
  mutates: false,
  summary:
    'Lists messages of an endpoint, newest first. A filtered page may be short: continue until `done` is true.',
  data: z.strictObject({
    endpointId,
    messageId: messageId.optional(),
    eventTypes: ids(100, eventType).optional(),
    status: status.optional(),
    ...iteratorPaging,
  }),
  response: iteratorListResponse('messages', messageResponse),
  errors: endpointErrors,
  example: { endpointId: 'ep_0123456789abcdefghijABCDEFGHIJ01', status: 'pending' },
  async handle({ data: { endpointId: id, limit: _limit, iterator: _iterator, ...filter }, tenant }, work) {
    const endpoints = await endpointsToRead(tenant, work);
    return {
      message: 'Advanced webhook endpoint messages retrieved successfully.',
      readPage: async (from, limit) => endpoints.listMessages(id, filter, pageRequest(from, limit)),
    };
  },
});
