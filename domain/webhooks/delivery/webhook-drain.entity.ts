import { defineEntity, p } from '@mikro-orm/core';
import { moment, reference } from '../../columns.ts';
import { WebhookEndpointSchema } from '../endpoints/webhook-endpoint.entity.ts';

/** Until `drainingUntil`, a delivery turn continues to poll the endpoint's messages: the dispatcher need not wake one. */
export const WebhookDrainSchema = defineEntity({
  name: 'WebhookDrain',
  tableName: 'webhook_drain',
  properties: {
    endpointId: reference(WebhookEndpointSchema, 'endpoint_id').primary(),
    apiKeyId: p.bigint('string'),
    drainingUntil: moment(),
  },
});
