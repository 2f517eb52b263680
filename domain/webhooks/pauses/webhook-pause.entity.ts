import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../../columns.ts';

/**
 * A pause of deliveries: of one endpoint, of a key (endpoint 0), or of every key (key 0, endpoint 0). It ends at
 * `resumedAt`. The row of an ended pause is kept while an endpoint's failures may date from before it.
 */
export const WebhookPauseSchema = defineEntity({
  name: 'WebhookPause',
  tableName: 'webhook_pause',
  properties: {
    apiKeyId: p.bigint('string').primary(),
    endpointId: p.bigint('string').primary(),
    pausedAt: moment().defaultRaw('now()'),
    resumedAt: moment().nullable(),
  },
  indexes: [{ name: 'webhook_pause_ended', properties: ['resumedAt'], where: 'resumed_at is not null' }],
});
