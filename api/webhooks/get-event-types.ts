import { z } from 'zod';
import { eventTypes } from '../../domain/webhooks/event-types.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { anything } from '../schemas.ts';

const eventTypeResponse = z
  .strictObject({
    name: z.string().describe('Type of the event, as in `filterTypes`.'),
    description: z.string().describe('When the event is emitted.'),
    schema: anything.meta({ description: 'JSON Schema of `data` in the message body.' }),
    example: anything.describe('Example of `data` in the message body.'),
    emitted: z
      .literal(true)
      .optional()
      .describe(
        'True when changes in Steward emit the event. Absent: only activity logs of this `actionType` emit it.',
      ),
  })
  .meta({ id: 'EventType' });

export const getEventTypes = endpoint({
  paths: ['/v2/workspace/advancedwebhook/eventtypes/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists the predefined event types.',
  description:
    'Works even while advanced webhooks are off. `filterTypes` of an endpoint may name other types, ' +
    'because each activity log emits an event whose type is its `actionType`. With `enableDataProtection`, ' +
    'messages lack every text except ids, types, states and times, also those that a schema requires.',
  data: z.strictObject({}),
  maxResponseBytes: 131_072,
  response: dataResponse(
    z.strictObject({ eventTypes: z.array(eventTypeResponse).describe('Predefined event types.') }),
  ),
  errors: [],
  example: {},
  async handle() {
    return succeeded('Advanced webhook event types retrieved successfully.', { eventTypes: [...eventTypes] });
  },
});
