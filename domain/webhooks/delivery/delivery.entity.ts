import { defineEntity, p } from '@mikro-orm/core';
import { dailyPartitions, moment } from '../../columns.ts';
import { messageStatuses } from './message.ts';

/**
 * An event for one endpoint; one partition a day. `retryAt`: the next attempt of the schedule, null once that is over; `nextAt`:
 * the next attempt for any reason; `notBefore`: what the receiver asked for. `step` counts attempts of the schedule, `attempts` all of
 * them, `resends` those requested by hand and not made yet. Updates of a pending row touch no index but that of `nextAt`.
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
  },
  indexes: [
    {
      name: 'delivery_due',
      properties: ['endpointId', 'nextAt'],
      where: `status = ${String(messageStatuses.pending)}`,
    },
  ],
});
