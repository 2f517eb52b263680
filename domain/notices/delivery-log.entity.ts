import { defineEntity, p } from '@mikro-orm/core';
import { dailyPartitions, json, moment } from '../columns.ts';
import type { StoredAttempt } from './attempt.ts';
import { channelNumbers, providerNumbers } from './channels.ts';
import { finalStatuses, reasonNumbers } from './statuses.ts';
import { suppressionReasons } from './suppression.entity.ts';

/** A delivery that has ended. Daily partitions, kept 30 days. `id` and `at` are those of the row in `outgoing`. */
export const DeliveryLogSchema = defineEntity({
  name: 'DeliveryLog',
  tableName: 'delivery_log',
  partitionBy: dailyPartitions('delivery_log', 'at'),
  properties: {
    at: moment().primary(),
    id: p.bigint('string').primary(),
    apiKeyId: p.bigint('string'),
    orgId: p.bigint('string'),
    userId: p.bigint('string'),
    channel: p.enum(channelNumbers),
    provider: p.enum(providerNumbers).nullable(),
    status: p.enum(finalStatuses),
    reason: p.enum(reasonNumbers).nullable(),
    digest: p.boolean(),
    publicId: p.text(),
    providerRef: p.text().nullable(),
    attempts: json<readonly StoredAttempt[]>(),
    endedAt: moment(),
    /** The reason for which a provider's report has suppressed the address. */
    suppressed: p.enum(suppressionReasons).nullable(),
  },
  indexes: [
    { name: 'log_org', properties: ['orgId', 'at', 'id'] },
    { name: 'log_user', properties: ['userId', 'orgId', 'at', 'id'] },
    { name: 'log_public', properties: ['publicId'] },
  ],
});
