import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';

/** Events to distribute to endpoints. Consumers delete rows: a cursor by id would skip late commits. */
export const OutboxSchema = defineEntity({
  name: 'Outbox',
  tableName: 'outbox',
  properties: {
    apiKeyId: p.bigint('string').primary(),
    eventId: p.bigint('string').primary(),
    eventAt: moment(),
  },
});
