import { defineEntity, p } from '@mikro-orm/core';
import { moment, reference } from '../../columns.ts';
import { WebhookEndpointSchema } from '../endpoints/webhook-endpoint.entity.ts';

/** The same promise for the deliveries of an endpoint, read by the dispatcher. */
export const WebhookDrainSchema = defineEntity({
  name: 'WebhookDrain',
  tableName: 'webhook_drain',
  properties: {
    endpointId: reference(WebhookEndpointSchema, 'endpoint_id').primary(),
    apiKeyId: p.bigint('string'),
    drainingUntil: moment(),
  },
});
