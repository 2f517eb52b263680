import { defineEntity, p } from '@mikro-orm/core';
import { dailyPartitions, moment } from '../columns.ts';

/** Names in the free JSON of events (`endpointId` 0) and of endpoints' responses, by second. */
export const MomentNameSchema = defineEntity({
  name: 'MomentName',
  tableName: 'moment_name',
  partitionBy: dailyPartitions('moment_name', 'at'),
  properties: {
    apiKeyId: p.bigint('string').primary(),
    nameHash: p.bigint('string').primary(),
    endpointId: p.bigint('string').primary(),
    at: moment().primary(),
  },
});
