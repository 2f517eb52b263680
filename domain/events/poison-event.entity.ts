import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';

/**
 * An event that left the outbox because its dispatch failed. `nextAt`: its next attempt; null once it is set aside, until
 * an operator retries or discards it. `reason`: a class of failures, without values.
 */
export const PoisonEventSchema = defineEntity({
  name: 'PoisonEvent',
  tableName: 'poison_event',
  properties: {
    apiKeyId: p.bigint('string').primary(),
    eventId: p.bigint('string').primary(),
    eventAt: moment(),
    attempts: p.smallint().default(1),
    reason: p.text(),
    failedAt: moment().defaultRaw('now()'),
    nextAt: moment().nullable(),
  },
  indexes: [
    { name: 'poison_event_next', properties: ['apiKeyId', 'nextAt'], where: 'next_at is not null' },
    { name: 'poison_event_age', properties: ['eventAt'] },
  ],
});
