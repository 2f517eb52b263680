import { defineEntity, p } from '@mikro-orm/core';
import { dailyPartitions, moment } from '../../columns.ts';
import { messageStatuses } from './message.ts';

const { failed, cancelled } = messageStatuses;

/**
 * An event for one endpoint; daily partitions. `retryAt`: the next scheduled attempt, null when the schedule is over;
 * `nextAt`: the next attempt of any kind; `notBefore`: from `Retry-After`. `step` counts scheduled attempts, `attempts`
 * all, `resends` the requested ones that are pending. `delivered`: a pending one was delivered before it was sent
 * again. Updates of a pending row touch only the index on `nextAt`.
 */
export const DeliverySchema = defineEntity({
  name: 'Delivery',
  tableName: 'delivery',
  partitionBy: dailyPartitions('delivery', 'event_at'),
  properties: {
    endpointId: p.bigint('string').primary(),
    eventAt: moment().primary(),
    eventId: p.bigint('string').primary(),
    apiKeyId: p.bigint('string'),
    sequence: p.bigint('string').nullable(),
    status: p.enum(messageStatuses).default(messageStatuses.pending),
    statusReason: p.text().nullable(),
    step: p.smallint().default(0),
    attempts: p.smallint().default(0),
    resends: p.smallint().default(0),
    retryAt: moment().nullable().defaultRaw('now()'),
    nextAt: moment().nullable().defaultRaw('now()'),
    notBefore: moment().nullable(),
    claimedUntil: moment().nullable(),
    delivered: p.boolean().default(false),
  },
  indexes: [
    {
      name: 'delivery_due',
      properties: ['endpointId', 'nextAt'],
      where: `status = ${String(messageStatuses.pending)}`,
    },
    {
      name: 'delivery_unsent',
      properties: ['endpointId', 'eventAt', 'eventId'],
      where: `status in (${String(failed)}, ${String(cancelled)}) and sequence is not null`,
    },
  ],
});
