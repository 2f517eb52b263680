import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';

/** Events to distribute to endpoints. A consumer deletes rows; "greater than the last id" would skip a late commit. */
export const OutboxSchema = defineEntity({
  name: 'Outbox',
  tableName: 'outbox',
  properties: {
    apiKeyId: p.bigint('string').primary(),
    eventId: p.bigint('string').primary(),
    eventAt: moment(),
  },
});
