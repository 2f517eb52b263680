import { defineEntity, p } from '@mikro-orm/core';
import { dailyPartitions, moment } from '../columns.ts';

/** A user named in the payload of an event. Deletion and export find events by it. */
export const EventUserSchema = defineEntity({
  name: 'EventUser',
  tableName: 'event_user',
  partitionBy: dailyPartitions('event_user', 'at'),
  properties: {
    userId: p.bigint('string').primary(),
    at: moment().primary(),
    eventId: p.bigint('string').primary(),
  },
});
