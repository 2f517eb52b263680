import { z } from 'zod';
import { eventTypes } from '../../domain/webhooks/event-types.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { anything } from '../schemas.ts';

const eventTypeResponse = z.strictObject({
  name: z.string(),
  description: z.string(),
  schema: anything.meta({ description: 'JSON Schema of `data` in the message body.' }),
  example: anything,
});

export const getEventTypes = endpoint({
  paths: ['/v2/workspace/advancedwebhook/eventtypes/get'],
  credentials: 'apiKey',
  mutates: false,
  summary:
    'Lists the predefined event types. Activity logs emit their own `actionType`, so other types may occur.',
  data: z.strictObject({}),
  response: dataResponse(z.strictObject({ eventTypes: z.array(eventTypeResponse) })),
  errors: [],
  example: {},
  async handle() {
    return succeeded('Advanced webhook event types retrieved successfully.', { eventTypes: [...eventTypes] });
  },
});
