import { z } from 'zod';
import { namesOf } from '../../domain/names-of.ts';
import { messageStatuses } from '../../domain/webhooks/delivery/message.ts';
import { iteratorListResponse } from '../http/response/iterator-list.ts';
import { endpoint } from '../http/endpoint.ts';
import { iteratorPaging } from '../http/response/iterator-list.ts';
import { customerId, ids, milliseconds } from '../schemas.ts';
import { pageRequest } from './page-request.ts';
import { endpointsToRead, endpointErrors } from './act-on-endpoints.ts';
import { endpointId, eventType, messageId } from './webhook-endpoint.ts';

const status = z.enum(namesOf(messageStatuses));

const messageResponse = z
  .strictObject({
    id: z.string().describe('Id of the message, equal to its `webhook-id` header.'),
    eventType: z.string().describe('Type of the event.'),
    status: status.describe('Status of the delivery to this endpoint.'),
    statusReason: z
      .string()
      .nullable()
      .describe('Why the message waits, failed or was canceled. Null otherwise.'),
    attempts: z.int().nullable().meta({ description: 'Null when Svix delivers the message.' }),
    nextAttemptAt: milliseconds
      .nullable()
      .describe('When the next attempt is due, in milliseconds since the epoch. Null when none is due.'),
    channels: z.array(z.string()).readonly().describe('Ids of the organization and documents of the event.'),
    payload: z.unknown().meta({
      description:
        'The body before encoding and encryption; the body as it was sent to Svix when Svix delivers the message.',
    }),
    timestamp: milliseconds.describe('When the event occurred, in milliseconds since the epoch.'),
  })
  .meta({ id: 'WebhookMessage' });

export const getMessages = endpoint({
  paths: ['/v2/workspace/advancedwebhook/endpoints/messages/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists messages of a webhook endpoint, newest first.',
  description:
    'A filtered page may be short: continue until `done` is true. Messages are kept for up to 30 days. An ' +
    'unknown endpoint fails with `NOT_FOUND`, an unknown message matches nothing. Fails with ' +
    '`FAILED_PRECONDITION` while advanced webhooks are off.',
  data: z.strictObject({
    endpointId,
    messageId: messageId.optional().describe('Only this message, `evt_…`.'),
    eventTypes: ids(100, eventType).optional().describe('Only messages of these event types, max 100.'),
    status: status.optional().describe('Only messages with this status.'),
    channel: customerId
      .optional()
      .describe('Only messages about this organization or document, by its id, max 1,000 bytes.'),
    since: milliseconds
      .optional()
      .describe('Only messages of events at or after this time, in milliseconds since the epoch.'),
    until: milliseconds
      .optional()
      .describe('Only messages of events before this time, in milliseconds since the epoch.'),
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
