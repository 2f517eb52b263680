import { defineEntity, p } from '@mikro-orm/core';
import { dailyPartitions, moment } from '../../columns.ts';
import { attemptStatuses, triggers } from './message.ts';

/** One attempt to deliver an event to an endpoint; daily partitions. */
export const AttemptSchema = defineEntity({
  name: 'Attempt',
  tableName: 'attempt',
  partitionBy: dailyPartitions('attempt', 'at'),
  properties: {
    eventId: p.bigint('string').primary(),
    endpointId: p.bigint('string').primary(),
    no: p.smallint().primary(),
    at: moment().primary().defaultRaw('now()'),
    eventAt: moment(),
    apiKeyId: p.bigint('string'),
    trigger: p.enum(triggers),
    status: p.enum(attemptStatuses),
    httpStatus: p.smallint().nullable(),
    ms: p.integer(),
    error: p.text().nullable(),
    response: p.text().default(''),
  },
  indexes: [{ name: 'attempt_endpoint', properties: ['endpointId', 'at'] }],
});
