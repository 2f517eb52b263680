import { defineEntity, p } from '@mikro-orm/core';
import { reference } from '../../columns.ts';
import { WebhookEndpointSchema } from './webhook-endpoint.entity.ts';

/**
 * A type and a channel of events that an active endpoint receives; '' stands for all. An endpoint has a row for each pair.
 * A trigger on `webhook_endpoint` writes them.
 */
export const WebhookSubscriptionSchema = defineEntity({
  name: 'WebhookSubscription',
  tableName: 'webhook_subscription',
  properties: {
    apiKeyId: p.bigint('string').primary(),
    type: p.text().primary(),
    channel: p.text().primary(),
    endpointId: reference(WebhookEndpointSchema, 'endpoint_id', 'cascade').primary(),
  },
  indexes: [{ name: 'webhook_subscription_endpoint', properties: ['endpointId'] }],
});
